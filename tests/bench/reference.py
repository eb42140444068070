#!/usr/bin/env python3
"""Measures the reference against the CPU plugin's own execution, and parsing.

Times are minima over interleaved rounds: of the reference what `onchip eval` reports as
`seconds` (reading files and parsing apart), of the device the `execute_us` of `onchip run`
(one execution, awaited). Memory is the peak of the whole `onchip eval` less that of one on a
scalar, over the bytes of the tensors that the program itself keeps alive at the worst moment. The exit status says whether
everything could run, not whether the targets were met.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time

INTERPRETER = """
import sys, time
import numpy as np
from jax._src.interpreters import mlir
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo
with mlir.make_ir_context(), ir.Location.unknown():
    module = ir.Module.parse(open(sys.argv[1]).read())
    x = ir.DenseElementsAttr.get(np.ones((256, 256), np.float32))
    begin = time.perf_counter()
    stablehlo.eval_module(module, [x, x])
    print(time.perf_counter() - begin)
"""


def dot(n):
    t = f"tensor<{n}x{n}xf32>"
    return f"""func.func @main(%a: {t}, %b: {t}) -> {t} {{
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : ({t}, {t}) -> {t}
  return %0 : {t}
}}
""", 3 * n * n * 4


def chain(n):
    t = f"tensor<{n}xf32>"
    return f"""func.func @main(%a: {t}, %b: {t}) -> {t} {{
  %0 = stablehlo.add %a, %b : {t}
  %1 = stablehlo.multiply %0, %a : {t}
  %2 = stablehlo.subtract %1, %b : {t}
  %3 = stablehlo.divide %2, %a : {t}
  %4 = stablehlo.tanh %3 : {t}
  return %4 : {t}
}}
""", 3 * n * 4


def softmax(n):
    t, r = f"tensor<{n}x{n}xf32>", f"tensor<{n}xf32>"
    return f"""func.func @main(%x: {t}) -> {t} {{
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : ({t}, tensor<f32>) -> {r}
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : ({r}) -> {t}
  %d = stablehlo.subtract %x, %mb : {t}
  %e = stablehlo.exponential %d : {t}
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : ({t}, tensor<f32>) -> {r}
  %sb = stablehlo.broadcast_in_dim %s, dims = [0] : ({r}) -> {t}
  %y = stablehlo.divide %e, %sb : {t}
  return %y : {t}
}}
""", 3 * n * n * 4


def layernorm(n):
    t, r = f"tensor<{n}x{n}xf32>", f"tensor<{n}xf32>"
    return f"""func.func @main(%x: {t}, %g: {r}, %b: {r}) -> {t} {{
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<{float(n)}> : {r}
  %eps = stablehlo.constant dense<1.0e-5> : {r}
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : ({t}, tensor<f32>) -> {r}
  %mean = stablehlo.divide %s, %n : {r}
  %mb = stablehlo.broadcast_in_dim %mean, dims = [0] : ({r}) -> {t}
  %d = stablehlo.subtract %x, %mb : {t}
  %q = stablehlo.multiply %d, %d : {t}
  %v = stablehlo.reduce(%q init: %zero) applies stablehlo.add across dimensions = [1] : ({t}, tensor<f32>) -> {r}
  %va = stablehlo.divide %v, %n : {r}
  %ve = stablehlo.add %va, %eps : {r}
  %i = stablehlo.rsqrt %ve : {r}
  %ib = stablehlo.broadcast_in_dim %i, dims = [0] : ({r}) -> {t}
  %y = stablehlo.multiply %d, %ib : {t}
  %gb = stablehlo.broadcast_in_dim %g, dims = [1] : ({r}) -> {t}
  %bb = stablehlo.broadcast_in_dim %b, dims = [1] : ({r}) -> {t}
  %yg = stablehlo.multiply %y, %gb : {t}
  %o = stablehlo.add %yg, %bb : {t}
  return %o : {t}
}}
""", 3 * n * n * 4


PROGRAMS = {"dot 256": dot(256), "dot 512": dot(512), "dot 1024": dot(1024),
            "chain of 5, 10^6": chain(10**6), "softmax 1024": softmax(1024),
            "layernorm 1024": layernorm(1024)}
RATIOS = {"dot 1024": 4, "chain of 5, 10^6": 10, "softmax 1024": 10, "layernorm 1024": 10}
SCALAR = "func.func @main(%a: tensor<f32>) -> tensor<f32> {\n  return %a : tensor<f32>\n}\n"


class CouldNotRun(Exception):
    pass


def output_of(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1, 4) or not done.stdout:
        raise CouldNotRun(f"{' '.join(command[:4])}: {done.stderr.strip()[-200:]}")
    return done.stdout


def evaluated(onchip, path):
    return json.loads(output_of([onchip, "eval", path, "--input", "random:1", "--json"]))["seconds"]


def executed(onchip, plugin, path):
    receipt = json.loads(output_of([onchip, "run", path, "--plugin", plugin, "--input", "random:1",
                                    "--reference", "none", "--json"]))
    return receipt["timings"]["execute_us"] / 1e6


def peak_bytes(onchip, path):
    process = subprocess.Popen([onchip, "eval", path, "--input", "random:1"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise CouldNotRun(f"onchip eval {path}: ended with {process.returncode}")
    return usage.ru_maxrss * 1024


def parse_rate(onchip, folder):
    """MB/s of `inspect` on a module that is mostly one constant of 50 MB."""
    path = os.path.join(folder, "constant.mlir")
    digits = "3F8CCCCD" * 6_250_000
    with open(path, "w", encoding="ascii") as out:
        out.write(f'func.func @main() -> tensor<6250000xf32> {{\n  %0 = stablehlo.constant '
                  f'dense<"0x{digits}"> : tensor<6250000xf32>\n'
                  '  return %0 : tensor<6250000xf32>\n}\n')
    begin = time.perf_counter()
    output_of([onchip, "inspect", path])
    return os.path.getsize(path) / 1e6 / (time.perf_counter() - begin)


def slope(sizes, values):
    """Of the least-squares line through the logarithms."""
    x, y = [math.log(s) for s in sizes], [math.log(v) for v in values]
    mx, my = sum(x) / len(x), sum(y) / len(y)
    return sum((a - mx) * (b - my) for a, b in zip(x, y)) / sum((a - mx) ** 2 for a in x)


def line(name, value, target, met):
    print(f"{name:<44}{value:>12}{target:>14}  {'ok' if met else 'MISSED'}")


def measure(options, folder):
    paths = {}
    for name, (text, _) in PROGRAMS.items():
        paths[name] = os.path.join(folder, name.replace(" ", "-") + ".mlir")
        with open(paths[name], "w", encoding="ascii") as out:
            out.write(text)
    scalar = os.path.join(folder, "scalar.mlir")
    with open(scalar, "w", encoding="ascii") as out:
        out.write(SCALAR)
    reference = {name: [] for name in paths}
    device = {name: [] for name in paths}
    for _ in range(options.rounds):
        for name, path in paths.items():
            reference[name].append(evaluated(options.onchip, path))
            device[name].append(executed(options.onchip, options.plugin, path))
    base = peak_bytes(options.onchip, scalar)
    memory = {name: (peak_bytes(options.onchip, path) - base) / PROGRAMS[name][1]
              for name, path in paths.items()}
    interpreter = None
    if options.jax_python:
        interpreter = float(output_of([options.jax_python, "-c", INTERPRETER, paths["dot 256"]]))
    return ({k: min(v) for k, v in reference.items()}, {k: min(v) for k, v in device.items()},
            memory, interpreter, parse_rate(options.onchip, folder))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--onchip", required=True, help="the program onchip")
    parser.add_argument("--plugin", required=True, help="the CPU plugin")
    parser.add_argument("--jax-python", help="a Python that has JAX, for its interpreter")
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory(prefix="onchip-bench-") as folder:
            reference, device, memory, interpreter, rate = measure(options, folder)
    except CouldNotRun as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    print(f"\n{'program':<24}{'reference':>12}{'device':>12}{'memory / tensors':>18}")
    for name in PROGRAMS:
        print(f"{name:<24}{reference[name] * 1e3:>9.2f} ms{device[name] * 1e3:>9.2f} ms"
              f"{memory[name]:>16.1f} x")
    print(f"\n{'target, from the minima':<44}{'value':>12}{'target':>14}")
    for name, most in RATIOS.items():
        ratio = reference[name] / device[name]
        line(f"{name}: reference / device, time", f"{ratio:.2f} x", f"<= {most} x", ratio <= most)
    if interpreter:
        gain = interpreter / reference["dot 256"]
        line("dot 256: jaxlib's interpreter / reference", f"{gain:.0f} x", ">= 2000 x", gain >= 2000)
    most = max(memory.values())
    line("peak memory / tensors, the largest", f"{most:.1f} x", "<= 6 x", most <= 6)
    line("parsing a module of constants", f"{rate:.0f} MB/s", ">= 50 MB/s", rate >= 50)
    sizes = [256, 512, 1024]
    print(f"dot: time grows with flops to the power of "
          f"{slope([s**3 for s in sizes], [reference[f'dot {s}'] for s in sizes]):.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
