# The lesson's own words, and nothing else.
COURSE_EXPECT_PLATFORM=gpu "$ONCHIP_BIN" check
