"""`onchip verify` on the report that the lesson's own Python program prints: a JSON object and then
`Completed prediction: [...]`, plain or in what a terminal kept of it. Each form has a bad twin.
"""

import json

import pytest

from conftest import fake

PREDICTION = [0.34375, 0.8125, 1.28125, 1.75, 2.21875, 2.6875, 3.15625, 3.625]
DISAGREE = "requested and observed platform disagree"
CHANGED = "prediction contract changed"


def lesson(prediction=PREDICTION, without=(), **changes):
    """What the lesson's program prints, on a TPU, but for some changes."""
    report = {"expected": "tpu", "output_devices": ["TPU_0(process=0,(0,0,0,0))"],
              "platform": "tpu", "jax": "0.7.2", "python": "3.12.3", "shape": [8],
              "dtype": "float32", "max_absolute_error": 0.0, "process_index": 0,
              "process_count": 1} | changes
    for key in without:
        del report[key]
    return f"{json.dumps(report, indent=2)}\nCompleted prediction: {prediction}\n"


def plain(text):
    return text


def twice(text):
    return lesson() + "\nonce more\n\n" + text


def coloured(text):
    """As a shell with colours and a title shows it, with a progress line written over itself."""
    return ("\x1b]0;student@tpu-vm: ~\x07\x1b[01;32mstudent@tpu-vm\x1b[00m:\x1b[01;34m~\x1b[00m$ "
            "python welcome_03.py\n\x1b[?2004l\rcompiling  10%\rcompiling 100%\x1b[K\n"
            + text.replace('"tpu"', '\x1b[32m"tpu"\x1b[0m') + "\x1b[?2004h\x1b[01;32m$ \x1b[0m")


def crlf(text):
    return text.replace("\n", "\r\n")


def script(text):
    """As script(1) keeps a session."""
    return ('Script started on 2026-11-30 10:00:00+00:00 [TERM="xterm" TTY="/dev/pts/0" '
            'COLUMNS="80" LINES="24"]\n' + crlf(coloured(text))
            + '\nScript done on 2026-11-30 10:00:09+00:00 [COMMAND_EXIT_CODE="0"]\n')


def talkative(text):
    """With warnings before and other JSON around it."""
    return ('WARNING: libtpu: {"level": "info", "expected": 1}\nE0000 {not json\n' + text
            + '{"other": "object"}\nMismatched platform report rejected.\n')


FORMS = [plain, twice, coloured, crlf, script, talkative]
in_each_form = pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)


def verify(world, text, *args, require="tpu"):
    path = world.folder / "capture.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return world.run("verify", path.name, "--require", require, *args)


@in_each_form
def test_good_report_passes(world, form):
    done = verify(world, form(lesson()))
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert done.stdout.startswith("PASS capture.txt: ")
    count = "2 reports" if form is twice else "1 report"
    assert f"{count} of the lesson: platform tpu on TPU_0" in done.stdout
    assert "only the report's own word (basis api)" in done.stdout


@in_each_form
@pytest.mark.parametrize("changes, words", [
    ({"platform": "cpu"}, DISAGREE), ({"expected": "cpu"}, DISAGREE),
    ({"expected": "cpu", "platform": "cpu"}, DISAGREE),
    ({"shape": [8, 1]}, CHANGED), ({"dtype": "float64"}, CHANGED),
    ({"prediction": [*PREDICTION[:4], 2.2187502384185791, *PREDICTION[5:]]}, "element 4 is"),
], ids=["observed cpu", "requested cpu", "both cpu", "shape", "dtype", "one ulp"])
def test_its_bad_twin_fails(world, form, changes, words):
    done = verify(world, form(lesson(**changes)))
    assert done.returncode == 1, done.stdout
    assert done.stdout.startswith("FAIL capture.txt: ") and words in done.stdout


def test_the_first_of_two_counts_as_much_as_the_last(world):
    bad = lesson(platform="cpu", output_devices=["TFRT_CPU_0"])
    assert verify(world, bad + lesson()).returncode == 1
    assert verify(world, lesson() + bad).returncode == 1


@pytest.mark.parametrize("changes, words", [
    ({"prediction": PREDICTION[:7]}, CHANGED),
    ({"prediction": PREDICTION + [4.0]}, CHANGED),
    ({"prediction": []}, CHANGED),
    ({"prediction": [PREDICTION[1], PREDICTION[0], *PREDICTION[2:]]}, "element 0 is"),
    ({"prediction": [float("nan"), *PREDICTION[1:]]}, "element 0 is nan"),
    ({"max_absolute_error": 1e-6}, "is not below 1e-6"),
    ({"max_absolute_error": 1e-7}, "but its prediction differs from the reference by 0"),
    ({"output_devices": []}, "names no output device"),
    ({"process_index": 1}, "not below process_count"),
    ({"shape": []}, CHANGED), ({"shape": [4]}, CHANGED), ({"dtype": "bfloat16"}, CHANGED),
    ({"platform": "TPU"}, DISAGREE),
])
def test_wrong_report_fails(world, changes, words):
    done = verify(world, lesson(**changes))
    assert done.returncode == 1, done.stdout
    assert words in done.stdout


@pytest.mark.parametrize("require, reported, status", [
    ("cpu", "cpu", 0), ("cuda", "cuda", 0), ("gpu", "gpu", 0), ("gpu", "cuda", 0),
    ("gpu", "tpu", 1), ("cuda", "gpu", 1), ("cpu", "tpu", 1)])
def test_required_platform(world, require, reported, status):
    done = verify(world, lesson(expected=reported, platform=reported), require=require)
    assert done.returncode == status, done.stdout


@in_each_form
def test_cut_capture_never_passes(world, form):
    """Wherever it ends before its last number does. Of two reports the first is whole, so there
    the cut goes through what can be known for a report."""
    text = form(lesson())
    start = text.rindex('"output_devices"') + 20 if form is twice else 0
    end = text.rindex("3.625") + len("3.6")
    for at in [*range(start, end, 41), end]:
        done = verify(world, text[:at])
        assert done.returncode in (1, 2), (at, done.stdout)


def test_report_without_its_prediction_fails(world):
    report = lesson().split("Completed")[0]
    done = verify(world, report)
    assert done.returncode == 1 and "no 'Completed prediction' follows" in done.stdout
    assert verify(world, report + lesson()).returncode == 1


@pytest.mark.parametrize("key", ["expected", "output_devices", "platform", "jax", "python", "shape",
                                 "dtype", "max_absolute_error", "process_index", "process_count"])
def test_report_that_lacks_a_key_is_unreadable(world, key):
    done = verify(world, lesson(without=[key]))
    assert done.returncode == 2
    assert done.stdout.startswith("UNREADABLE capture.txt: ")


@pytest.mark.parametrize("text", [
    b"", b"no report at all\n", b"{}", b"[]", b"\xff\xfe\x00", b"{" * 100000,
    lesson().replace('"jax"', '"platform": "tpu",\n  "jax"').encode(),
    lesson().replace("0.0,", "NaN,").encode(),
    ("Completed prediction: [1.0]\n" + lesson()).encode(),
    (lesson() + "Completed prediction: [1.0]\n").encode(),
], ids=["empty", "prose", "object", "list", "binary", "deep", "key twice", "NaN",
        "prediction first", "prediction twice"])
def test_what_is_no_report_is_unreadable(world, text):
    done = verify(world, text)
    assert done.returncode == 2
    assert done.stdout.startswith("UNREADABLE capture.txt: ")


def test_report_answers_no_nonce(world):
    done = verify(world, lesson(), "--nonce", "5eed")
    assert done.returncode == 1 and "a lesson report carries none" in done.stdout


def test_reason_is_in_the_json(world):
    done = verify(world, lesson(platform="cpu"), "--json")
    [answer] = json.loads(done.stdout)
    assert (done.returncode, answer["verdict"], answer["reason"]) == (1, "FAIL", "platform_differs")
    assert (answer["document"], answer["member"]) == ("lesson report", "platform")
    [answer] = json.loads(verify(world, lesson(), "--json").stdout)
    assert (answer["verdict"], answer["reason"], answer["platform"]) == ("PASS", "holds", "tpu")


def test_report_of_check_is_read_like_the_lessons(world):
    """Its own short report too, from standard input, in the terminal's form."""
    shown = world.run("check", "--plugin", fake("honest")).stdout
    assert verify(world, shown, require="cpu").returncode == 0
    assert verify(world, crlf(shown), require="cpu").returncode == 0
    assert verify(world, shown, require="tpu").returncode == 1
    wrong = world.run("check", "--plugin", fake("one_ulp")).stdout
    assert verify(world, wrong, require="cpu").returncode == 1
