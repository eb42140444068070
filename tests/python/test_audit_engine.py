"""The engine of `onchip audit` against learners' files that do what they should not.

A copy of onchip stands in a tree of the test's own, whose projects are tests/data/audit: a
harness that calls one function, tiny_sum. Each case says what the file holds and the sentence
that it must get. `HERE` in a case marks the line that the sentence must name.
"""

import json
import re
import shutil

import pytest

from conftest import BIN, SOURCE

DATA = SOURCE / "tests/data/audit"
COMPILERS = ["gcc", "clang"]
HEAD = """#include "tiny.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int tiny_sum(const int *values, size_t count) {
    int right = values[0] + values[1] + values[2];
    volatile size_t zero = count - count;
"""

RETURN = "expected a return from tiny_sum, got "
OTHER = "expected nothing on the harness's descriptor from tiny_sum, got something else "


@pytest.fixture
def tree(world):
    """A World whose onchip has projects of its own."""
    folder = world.folder / "tree"
    folder.mkdir()
    shutil.copy(BIN, folder / "onchip")
    (folder / "onchip.pc").write_text(
        f"projectsdir={folder}/projects\n\nName: onchip\nDescription: a tree of a test\n"
        f"Version: 0\nCflags: -I{SOURCE}/include\n")
    for name in ("tpu-runtime-audit", "virtual-devices"):
        project = folder / "projects" / name
        for inner in ("tests", "starter", "solution"):
            (project / inner).mkdir(parents=True)
        shutil.copy(DATA / "tiny.h", project)
        shutil.copy(DATA / "harness.c", project / "tests")
        shutil.copy(DATA / "honest.c", project / "solution/model.c")
        (project / "starter/model.c").write_text(HEAD + "return 0; }\n")
    world.scratch = world.folder / "scratch"
    world.scratch.mkdir()
    world.env["TMPDIR"] = str(world.scratch)
    world.env.pop("CC", None)
    world.program = (str(folder / "onchip"),)
    return world


def audit(tree, *args, project="virtual-devices", **options):
    done = tree.run("audit", "--project", project, *args, program=tree.program, **options)
    left = [path.name for path in tree.scratch.iterdir() if path.name.startswith("onchip-audit")]
    assert left == [], "a temporary folder stays"
    tree.await_no_process()
    return done


def model(tree, text):
    """The file, and its line with HERE."""
    path = tree.folder / "model.c"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    lines = path.read_bytes().split(b"\n")
    return str(path), next((i for i, line in enumerate(lines, 1) if b"HERE" in line), 0)


def compiler(name):
    if shutil.which(name) is None:
        pytest.skip(f"skip: {name}: it is not installed")
    return {"CC": name}


def fails(done, sentence, stage=1):
    assert done.returncode == 1, done.stdout + done.stderr
    verdicts = [text for text in done.stdout.splitlines() if re.match("PASS|FAIL", text)]
    start = f"FAIL virtual-devices stage {stage}: "
    assert verdicts[-1].startswith(start), done.stdout
    assert sentence in verdicts[-1], done.stdout
    assert done.stderr == ""


HOSTILE = {
    "null": ("*(volatile int *)zero = 1; /* HERE */", RETURN, True),
    "overrun": ("right += values[count]; /* HERE */", RETURN + "heap-buffer-overflow", True),
    "after_free": ("int *p = malloc(4); *p = 6; free(p); right = *(volatile int *)p; /* HERE */",
                   RETURN + "heap-use-after-free", True),
    "double_free": ("int *volatile p = malloc(4); free(p); free(p); /* HERE */",
                    RETURN + "attempting double-free", True),
    "division": ("right /= (int)zero; /* HERE */", RETURN + "division by zero", True),
    "abort": ("if (!zero) abort(); /* HERE */", RETURN + "abort", True),
    "recursion": ("volatile int pad[999]; pad[zero] = right;\n"
                  "right = pad[zero] + tiny_sum(values, count) + pad[zero + 1]; /* HERE */",
                  RETURN + "stack-overflow", False),
    "killed": ("raise(SIGKILL);", RETURN + "the end of the program (signal 9 (Killed))", False),
    "exit_0": ("if (!zero) exit(0);", RETURN + "the end of the program (exit status 0)", False),
    "exit_3": ("if (!zero) exit(3);", RETURN + "the end of the program (exit status 3)", False),
    "loop": ("while (zero == 0) {}", RETURN + "no answer after 1 s, so it was stopped", False),
    "memory": ("for (;;) { char *volatile p = malloc(1 << 24); memset(p, 1, 1 << 24); }",
               RETURN + "more than 1024 MiB of memory, so it was stopped", False),
    "memory_of_children": ("for (int i = 0; i < 5; i++) if (!fork()) {\n"
                           "char *volatile p = malloc(1 << 28); memset(p, 1, 1 << 28); pause(); }\n"
                           "pause();",
                           RETURN + "more than 1024 MiB of memory, so it was stopped", False),
    "garbage": ("if (write(3, \"\\1\\2 rubbish\\n\", 11) != 11) return 0;",
                OTHER + "on descriptor 3: '?? rubbish'", False),
    "half_a_line": ("if (write(3, \"pass\", 4) != 4) return 0; _exit(0);",
                    OTHER + "on descriptor 3: 'pass'", False),
    "no_utf8": ("if (write(3, \"say \\xff\\n\", 6) != 6) return 0;",
                OTHER + "on descriptor 3: 'say ?'", False),
    "pass_of_another_stage": ("if (write(3, \"pass 2\\n\", 7) != 7) return 0;",
                              OTHER + "on descriptor 3: 'pass 2'", False),
    "early_end": ("if (write(3, \"end\\n\", 4) != 4) return 0; _exit(0);",
                  OTHER + "on descriptor 3: 'end'", False),
    "too_much": ("for (int i = 0; i < 9999; i++)"
                 " if (write(3, \"say 0123456789012345678901234567890123456789\\n\", 45) != 45)"
                 " return 0;", "from tiny_sum, got more than 262144 bytes on descriptor 3", False),
    "closed": ("close(3);", RETURN + "the end of the program (exit status 5)", False),
    "uninitialised": ("int *p = malloc(4); right = p[zero]; free(p);",
                      "tiny_sum: expected 6, got -1094795586", False),
}


@pytest.mark.parametrize("cc", COMPILERS)
@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_code_gets_its_sentence(tree, case, cc):
    code, sentence, names_line = HOSTILE[case]
    path, line = model(tree, f"{HEAD}{code}\nreturn right; }}\n")
    slow = ["--timeout", "1"] if case == "loop" else []
    done = audit(tree, "--implementation", path, "--stage", "2", *slow, env=compiler(cc))
    fails(done, sentence)
    if names_line:
        assert re.search(rf" at model\.c:{line}$", done.stdout.splitlines()[0]), done.stdout


UNBUILT = {
    "syntax": (HEAD + "return right HERE; }\n", "got model.c:LINE:"),
    "header": ('#include "tiny.h"\n#include "no_such_header.h" /* HERE */\n',
               "got model.c:LINE:10: fatal error: "),
    "empty": ("", "undefined reference to `tiny_sum'"),
    "main": (HEAD + "return right; }\nint main(void) { return 0; }\n",
             "multiple definition of `main'"),
    "bytes": (b'#include "tiny.h"\n\xff\x1b[2J\0;\n', "got model.c:2:"),
}


@pytest.mark.parametrize("cc", COMPILERS)
@pytest.mark.parametrize("case", UNBUILT)
def test_what_cannot_be_built_is_told_with_its_place(tree, case, cc):
    text, sentence = UNBUILT[case]
    path, line = model(tree, text)
    done = audit(tree, "--implementation", path, env=compiler(cc))
    fails(done, sentence.replace("LINE", str(line)))
    assert "\x1b" not in done.stdout
    assert "stage 1: compile: expected a file that compiles and links, got " in done.stdout


HARMLESS = {
    "much_output": "for (int i = 0; i < 100000; i++) { puts(\"a line of no interest\");"
                   " fputs(\"another\\n\", stderr); }",
    "no_stdout": "fclose(stdout); close(1);",
    "no_stderr": "fclose(stderr); close(2);",
    "child_that_stays": "if (fork() == 0) { sleep(600); _exit(0); }",
    "child_that_leaves": "if (fork() == 0) { setsid(); if (fork() == 0) { sleep(600); } _exit(0); }",
    "child_that_floods": "if (fork() == 0) { setsid(); for (;;) puts(\"flood\"); }",
    "ignores_signals": "signal(SIGTERM, SIG_IGN); signal(SIGINT, SIG_IGN);",
}


@pytest.mark.parametrize("case", HARMLESS)
def test_what_does_no_harm_passes_and_is_not_shown(tree, case):
    path, _ = model(tree, f"{HEAD}if (zero == 0) {{ {HARMLESS[case]} }}\nreturn right; }}\n")
    done = audit(tree, "--implementation", path, "--stage", "1")
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    assert re.fullmatch(r"PASS virtual-devices stage 1: [^\n]+\n  the sum is 6\n", done.stdout)


def test_no_file_is_written_by_the_learner(tree):
    victim = tree.folder / "victim"
    victim.write_text("mine")
    code = "".join(f'{{ FILE *f = fopen("{path}", "{mode}"); if (f) {{ fputs("x", f); fclose(f); }} }}'
                   for path, mode in ((victim, "a"), (victim, "r+"), (tree.folder / "new", "w")))
    path, _ = model(tree, f"{HEAD}{code}\nreturn right; }}\n")
    done = audit(tree, "--implementation", path, "--stage", "1")
    assert done.returncode == 0, done.stdout
    assert victim.read_text() == "mine"
    new = tree.folder / "new"  # a kernel without Landlock lets an empty file be made
    assert not new.exists() or new.read_bytes() == b""


def test_what_was_printed_is_shown_on_failure_bounded_and_disarmed(tree):
    path, _ = model(tree, HEAD + 'for (int i = 0; i < 99999; i++) puts("noise");\n'
                    'puts("\\033[31mlast words"); fflush(stdout); return 7; }\n')
    done = audit(tree, "--implementation", path)
    fails(done, "tiny_sum: expected 6, got 7")
    lines = done.stdout.splitlines()
    assert lines[1] == "  hint: add all three"
    assert "  | ?[31mlast words" in lines and "\x1b" not in done.stdout
    assert len(done.stdout) < 10000


def test_a_report_behind_a_flood_is_found(tree):
    path, line = model(tree, HEAD + 'for (int i = 0; i < 99999; i++) fputs("noise\\n", stderr);\n'
                       "if (zero == 0) abort(); /* HERE */\nreturn right; }\n")
    done = audit(tree, "--implementation", path)
    fails(done, f"{RETURN}abort at model.c:{line}")


def test_failure_of_a_later_stage_keeps_the_earlier(tree):
    path, _ = model(tree, HEAD + "static int calls; return right + (++calls == 3); }\n")
    done = audit(tree, "--implementation", path)
    fails(done, "tiny_sum: expected 6, got 7", stage=3)
    assert [text[:28] for text in done.stdout.splitlines() if text.startswith("PASS")] == [
        "PASS virtual-devices stage 1", "PASS virtual-devices stage 2"]


def test_starter_is_the_default_and_solution_passes(tree):
    fails(audit(tree), "tiny_sum: expected 6, got 0")
    done = audit(tree, "--implementation", "solution")
    assert done.returncode == 0
    assert len(re.findall("^PASS virtual-devices stage [1-4]: ", done.stdout, re.M)) == 4


def test_without_sanitizers_a_crash_is_told_all_the_same(tree):
    wrapper = tree.folder / "plain-cc"
    wrapper.write_text('#!/bin/sh\ncase "$*" in *-fsanitize*) exit 1 ;; esac\nexec cc "$@"\n')
    wrapper.chmod(0o755)
    path, _ = model(tree, f"{HEAD}raise(SIGSEGV); return right; }}\n")
    done = audit(tree, "--implementation", path, env={"CC": str(wrapper)})
    fails(done, RETURN + "the end of the program (signal 11 (Segmentation fault))")
    path, _ = model(tree, f"{HEAD}for (;;) {{ char *volatile p = malloc(1 << 24); memset(p, 1, 1 << 24); }} }}\n")
    done = audit(tree, "--implementation", path, env={"CC": str(wrapper)})
    fails(done, RETURN + "more than 1024 MiB of memory, so it was stopped")


@pytest.mark.parametrize("end, status, word", [("3", 3, "plugin"), ("5", 5, "plugin")])
def test_a_runtime_that_fails_does_not_blame_the_learner(tree, end, status, word):
    done = audit(tree, env={"TINY_END": end})
    assert (done.returncode, done.stdout) == (status, "")
    assert done.stderr == f"onchip: error: [{word}] 0\n"


@pytest.mark.parametrize("args, status, sentence", [
    (["--implementation", "no_such.c"], 2, "'no_such.c' is no file"),
    (["--implementation", "."], 2, "'.' is no file"),
    (["--stage", "5"], 2, "--stage '5' is not a number from 1 to 4"),
    (["--stage", "0"], 2, "--stage '0' is not a number from 1 to 4"),
    (["--timeout", "-1"], 2, "--timeout '-1' is not a number of seconds"),
    (["--project", "other"], 2, "'other' is no project"),
    (["--evidence-dir", "x"], 2, "'virtual-devices' keeps no evidence"),
])
def test_usage(tree, args, status, sentence):
    done = audit(tree, *args)
    assert (done.returncode, done.stdout) == (status, "")
    assert sentence in done.stderr


def test_no_compiler_and_no_pkg_config(tree):
    done = audit(tree, env={"CC": "/no/such/compiler"})
    assert (done.returncode, done.stdout) == (5, "")
    assert "no C compiler" in done.stderr
    empty = tree.folder / "empty"
    empty.mkdir()
    done = audit(tree, env={"PATH": str(empty)})
    assert (done.returncode, done.stdout) == (5, "")
    assert "pkg-config is needed" in done.stderr
    (empty / "pkg-config").symlink_to(shutil.which("pkg-config"))
    done = audit(tree, env={"PATH": str(empty)})
    assert (done.returncode, done.stdout) == (5, "")
    assert "none of cc, gcc and clang works" in done.stderr


def test_names_with_blanks(tree):
    folder = tree.folder / "a b"
    folder.mkdir()
    shutil.copy(DATA / "honest.c", folder / "my model.c")
    done = audit(tree, "--implementation", "a b/my model.c", "--stage", "1")
    assert done.returncode == 0, done.stdout + done.stderr


def test_json(tree):
    done = audit(tree, "--json", "--implementation", "starter")
    assert (done.returncode, json.loads(done.stdout)) == (1, {
        "project": "virtual-devices", "implementation": "starter", "evidence": None,
        "stages": [{"stage": 1, "verdict": "FAIL", "function": "tiny_sum", "expected": "6",
                    "got": "0", "hint": "add all three", "says": []}]})
    done = audit(tree, "--json", "--implementation", "solution", "--stage", "1")
    assert (done.returncode, json.loads(done.stdout)["stages"]) == (0, [
        {"stage": 1, "verdict": "PASS", "function": None, "expected": None, "got": None,
         "hint": None, "says": ["the sum is 6"]}])


# --- Evidence ---

EVIDENCE = "tpu-runtime-audit-evidence.json"


def with_evidence(tree, *args, **options):
    return audit(tree, "--implementation", "solution", *args, project="tpu-runtime-audit",
                 **options)


def test_evidence_is_written_verified_and_never_overwritten(tree):
    folder = tree.folder / "deep/er"
    kept = []
    for _ in range(3):
        done = with_evidence(tree, "--evidence-dir", "deep/er")
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stdout.splitlines()[-1] == f"evidence: deep/er/{EVIDENCE}"
        # As many copies were refused as there are members, and more than none.
        assert int(re.search(r"(\d+) copies with one member changed were refused",
                             done.stdout)[1]) >= 40
        kept.append((folder / EVIDENCE).stat().st_ino)
    assert [(folder / "history" / f"evidence-000{i}.json").stat().st_ino for i in (1, 2)] == kept[:2]
    done = tree.run("verify", f"deep/er/{EVIDENCE}", "--require", "cpu")
    assert done.returncode == 0, done.stdout


def test_evidence_of_stage_3_alone_and_none_before(tree):
    done = with_evidence(tree, "--stage", "2", "--evidence-dir", "kept")
    assert done.returncode == 0 and "evidence:" not in done.stdout
    assert not (tree.folder / "kept").exists()
    done = with_evidence(tree, "--stage", "3", "--evidence-dir", "kept")
    assert done.returncode == 0
    assert (tree.folder / "kept" / EVIDENCE).is_file()


def test_evidence_without_a_folder_is_in_a_temporary_one(tree):
    done = with_evidence(tree)
    path = re.search("^evidence: (.*)$", done.stdout, re.M)[1]
    assert path.startswith(f"{tree.scratch}/onchip-evidence-")
    assert json.loads(open(path, encoding="utf-8").read())["kind"] == "audit"


@pytest.mark.parametrize("key", ["backend", "device_count", "scope", "matmul_exact",
                                 "simulated_sum", "collective_sum"])
def test_a_missing_note_fails_stage_3(tree, key):
    done = with_evidence(tree, "--evidence-dir", "kept", env={"TINY_OMIT": key})
    assert done.returncode == 1
    assert (f"FAIL tpu-runtime-audit stage 3: evidence: expected a note '{key}' that makes sense, "
            "got none\n") in done.stdout
    assert "stage 4" not in done.stdout and not (tree.folder / "kept").exists()


def test_added_receipts(tree):
    good = str(SOURCE / "tests/data/receipts/good-cpu.json")
    done = with_evidence(tree, "--evidence-dir", "kept", "--add-receipt", good)
    assert done.returncode == 0, done.stdout + done.stderr
    evidence = json.loads((tree.folder / "kept" / EVIDENCE).read_text())
    assert len(evidence["added_receipts"]) == 1
    done = with_evidence(tree, "--evidence-dir", "other", "--add-receipt", "no_such.json")
    assert (done.returncode, done.stdout) == (2, "")
    assert "no_such.json" in done.stderr and not (tree.folder / "other").exists()


def test_evidence_that_cannot_be_written(tree):
    (tree.folder / "file").write_text("")
    done = with_evidence(tree, "--evidence-dir", "file")
    assert (done.returncode, done.stdout) == (5, "")
    assert done.stderr.startswith("onchip: error: [evidence] ")
