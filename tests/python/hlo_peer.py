"""StableHLO's own reader and printer, run by a Python that has JAX.

    hlo_peer.py programs         a JSON object on stdout: programs that JAX makes, by name
    hlo_peer.py canonical        a JSON list of texts on stdin; on stdout the generic form
                                 that MLIR prints for each, without what onchip does not keep
                                 (attributes of results, the word `public`), or null and on
                                 stderr why MLIR refuses it
"""

import json
import sys

from jax._src.interpreters import mlir
from jax._src.lib.mlir import ir


def leave_out(operation):
    if operation.name == "func.func":
        attributes = operation.attributes
        if "res_attrs" in attributes:
            del attributes["res_attrs"]
        if "sym_visibility" in attributes and str(attributes["sym_visibility"]) == '"public"':
            del attributes["sym_visibility"]
    for region in operation.regions:
        for block in region:
            for inner in block:
                leave_out(inner.operation)


def canonical(text):
    try:
        with mlir.make_ir_context():
            module = ir.Module.parse(text)
            leave_out(module.operation)
            return module.operation.get_asm(print_generic_op_form=True)
    except ir.MLIRError as error:
        print(error, file=sys.stderr)
        return None


def programs():
    import jax
    import jax.numpy as jnp

    def f32(*shape):
        return jax.ShapeDtypeStruct(shape, jnp.float32)

    def step(carry, x):
        carry = jnp.where(x > 0, carry * 0.5 + x, jnp.maximum(carry, x))
        return carry, (carry, jnp.argmax(carry))

    made = {
        "softmax": (lambda x: jax.nn.softmax(x @ x.T), f32(4, 8)),
        "scan": (lambda x: jax.lax.scan(step, x[0], x), f32(5, 3)),
        "convolution": (lambda x, k: jax.lax.conv_general_dilated(
            x, k, (2, 1), "SAME", rhs_dilation=(1, 2),
            dimension_numbers=("NHWC", "HWIO", "NHWC")), f32(1, 8, 8, 3), f32(3, 3, 3, 4)),
        "sort": (lambda x: (jnp.sort(x), jnp.argsort(x), jax.lax.top_k(x, 2)), f32(3, 7)),
        "gather": (lambda x, i: x.at[i, 1:].add(x[i, :3]).cumsum(0), f32(6, 4),
                   jax.ShapeDtypeStruct((2,), jnp.int32)),
        "random": (lambda k: jax.random.normal(k, (3,)), jax.ShapeDtypeStruct((2,), jnp.uint32)),
        "special": (lambda x: (jax.scipy.special.erfinv(x), jnp.sinh(x), jnp.fft.rfft(x),
                               jax.lax.lgamma(x), x.astype(jnp.bfloat16)), f32(16)),
        "branches": (lambda i, x: jax.lax.switch(i, [jnp.sin, jnp.cos, lambda y: -y], x),
                     jax.ShapeDtypeStruct((), jnp.int32), f32(2)),
        "linear": (lambda x: (jnp.linalg.cholesky(x), jax.lax.linalg.triangular_solve(x, x)),
                   f32(3, 3)),
        "constants": (lambda x: x + jnp.linspace(-1e-40, 3e38, 100).reshape(10, 10)
                      + jnp.array([jnp.nan, -jnp.inf] * 5), f32(10, 10)),
    }
    return {name: jax.jit(function).lower(*args).as_text()
            for name, (function, *args) in made.items()}


if __name__ == "__main__":
    if sys.argv[1:] == ["programs"]:
        json.dump(programs(), sys.stdout)
    elif sys.argv[1:] == ["canonical"]:
        json.dump([canonical(text) for text in json.load(sys.stdin)], sys.stdout)
    else:
        sys.exit("usage: hlo_peer.py programs|canonical")
