"""The lesson's steps in JAX, for bench.py: what `onchip check` is compared with.

An affine map on eight rows, placed on the first device and compiled, checked against
NumPy; all of that twice, as the lesson's assembled program does (its recorded output
has two reports); then with another bias, then with the rows reversed. Prints reports
like the lesson's and fails if a value or a placement is wrong.
"""

import json

import jax
import numpy as np

PLATFORM = "cpu"


def affine(bias):
    return jax.jit(lambda x, w: x @ w + bias)


def predict_and_report(device, x, w, expected):
    predict = affine(0.125)
    prediction = predict(x, w).block_until_ready()
    assert prediction.devices() == {device}
    error = float(np.max(np.abs(np.asarray(prediction) - expected)))
    assert error < 1e-6
    report = {
        "platform": device.platform,
        "output_devices": [str(d) for d in prediction.devices()],
        "shape": list(prediction.shape),
        "dtype": str(prediction.dtype),
        "expected": expected.tolist(),
        "max_absolute_error": error,
        "process_index": jax.process_index(),
        "process_count": jax.process_count(),
    }
    print(json.dumps(report, indent=2))
    print("Completed prediction:", np.asarray(prediction).tolist())
    return predict


def main():
    device = jax.devices(PLATFORM)[0]
    rows = np.arange(24, dtype=np.float32).reshape(8, 3) / 8
    weights = np.array([0.5, -0.25, 1.0], dtype=np.float32)
    expected = rows @ weights + np.float32(0.125)
    x = jax.device_put(rows, device)
    w = jax.device_put(weights, device)

    predict_and_report(device, x, w, expected)
    predict = predict_and_report(device, x, w, expected)

    changed = affine(-0.25)(x, w).block_until_ready()
    np.testing.assert_allclose(changed, expected - 0.375, atol=1e-6)
    print("Changed bias, first prediction:", float(changed[0]))

    back = predict(jax.device_put(rows[::-1].copy(), device), w).block_until_ready()
    np.testing.assert_allclose(back, expected[::-1], atol=1e-6)
    assert back.devices() == {device}
    print("Row reversal preserved values and requested placement.")


if __name__ == "__main__":
    main()
