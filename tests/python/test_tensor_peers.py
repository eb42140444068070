"""Arrays and float types beside NumPy and ml_dtypes: files both ways, codes and numbers of every
type. peer_tensor.c is the room `tensor` as a program."""

import os
import subprocess

import ml_dtypes
import numpy as np
import pytest

PEER = os.environ["ONCHIP_TEST_PEER_TENSOR"]

FLOATS = {
    "f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64,
    "f8E5M2": ml_dtypes.float8_e5m2, "f8E4M3": ml_dtypes.float8_e4m3,
    "f8E3M4": ml_dtypes.float8_e3m4, "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E4M3B11FNUZ": ml_dtypes.float8_e4m3b11fnuz, "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz, "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
    "f6E2M3FN": ml_dtypes.float6_e2m3fn, "f6E3M2FN": ml_dtypes.float6_e3m2fn,
    "f4E2M1FN": ml_dtypes.float4_e2m1fn,
}
SMALL = {name: np.dtype(kind) for name, kind in FLOATS.items() if np.dtype(kind).itemsize <= 2}
# NumPy has these, and its files name them.
OWN = {"i1": np.bool_, "f16": np.float16, "f32": np.float32, "f64": np.float64,
       "complex<f32>": np.complex64, "complex<f64>": np.complex128,
       **{f"i{bits}": np.dtype(f"i{bits // 8}") for bits in (8, 16, 32, 64)},
       **{f"ui{bits}": np.dtype(f"u{bits // 8}") for bits in (8, 16, 32, 64)}}
LACKED = {name: kind for name, kind in SMALL.items() if name not in OWN}


def peer(*args, given=b""):
    done = subprocess.run([PEER, *map(str, args)], input=given, capture_output=True, timeout=100)
    return done.returncode, done.stdout, done.stderr.decode()


def codes_of(array):
    return array.view(np.uint8 if array.dtype.itemsize == 1 else np.uint16)


def all_codes(kind):
    return np.arange(2 ** ml_dtypes.finfo(kind).bits, dtype=f"u{np.dtype(kind).itemsize}")


def random_array(kind, shape, seed=1):
    kind = np.dtype(kind)
    rng = np.random.default_rng(seed)
    if kind == np.bool_:
        return rng.integers(0, 2, shape).astype(kind)
    data = rng.integers(0, 256, (*shape, kind.itemsize), np.uint8)
    return data.view(kind).reshape(shape)


@pytest.mark.parametrize("name", SMALL)
def test_every_code_is_ml_dtypes_number(name):
    kind = SMALL[name]
    codes = all_codes(kind)
    code, out, _ = peer("decode", name, given=codes.tobytes())
    assert code == 0
    with np.errstate(invalid="ignore"):
        wanted = codes.view(kind).astype(np.float64)
    seen = np.frombuffer(out)
    np.testing.assert_array_equal(seen, wanted)
    numbers = ~np.isnan(wanted)
    np.testing.assert_array_equal(np.signbit(seen[numbers]), np.signbit(wanted[numbers]))


@pytest.mark.parametrize("name", SMALL)
def test_rounding_is_ml_dtypes_rounding(name):
    """From float32, where ml_dtypes too rounds once (its way from float64 is through it)."""
    kind = SMALL[name]
    rng = np.random.default_rng(7)
    codes = all_codes(kind)
    with np.errstate(all="ignore"):
        numbers = np.unique(codes.view(kind).astype(np.float32))
        numbers = numbers[np.isfinite(numbers)]
        middles = numbers[:-1] / 2 + numbers[1:] / 2
        values = np.concatenate([
            numbers, middles, np.nextafter(middles, np.float32(np.inf)),
            np.nextafter(middles, np.float32(-np.inf)),
            rng.integers(0, 2 ** 32, 500_000, np.uint32).view(np.float32),
        ])
        values = values[~np.isnan(values)]  # NumPy keeps their payload, ml_dtypes does not
        values = np.append(values, np.array([0, -0.0, np.inf, -np.inf, np.nan, -np.nan], "f4"))
        if name == "f8E8M0FNU":  # 1.25 * 2**-127 becomes 2**-126 in ml_dtypes 0.6.0
            values = values[(values == 0) | ~(np.abs(values) < 2.0 ** -126)]
        wanted = values.astype(kind)
    code, out, _ = peer("encode", name, given=values.astype(np.float64).tobytes())
    assert code == 0
    seen = np.frombuffer(out, codes.dtype)
    different = seen != codes_of(wanted)
    assert not different.any(), (values[different][:4], seen[different][:4],
                                 codes_of(wanted)[different][:4])


@pytest.mark.parametrize("name", ["f16", "f32"])
def test_rounding_from_double_is_numpy_s(name):
    rng = np.random.default_rng(11)
    exponents = rng.uniform(-160, 130, 500_000) / (5 if name == "f16" else 1)
    with np.errstate(all="ignore"):
        values = np.copysign(np.exp2(exponents), rng.normal(size=exponents.size))
        wanted = values.astype(FLOATS[name])
    code, out, _ = peer("encode", name, given=values.tobytes())
    assert code == 0
    np.testing.assert_array_equal(np.frombuffer(out, FLOATS[name]), wanted)


@pytest.mark.parametrize("shape", [(), (0,), (3,), (1, 1), (2, 3), (3, 0, 2), (5, 4, 3, 2)])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("name", OWN)
def test_arrays_pass_through_both_ways(tmp_path, name, order, shape):
    array = np.asarray(random_array(OWN[name], shape), order=order)
    for byte_order in "<>":
        kind = array.dtype.newbyteorder(byte_order)
        np.save(tmp_path / "from.npy", array.astype(kind, order="K"))
        code, out, err = peer("copy", tmp_path / "from.npy", "-", tmp_path / "to.npy")
        assert (code, out, err) == (0, f"{name}\n".encode(), "")
        seen = np.load(tmp_path / "to.npy")
        assert (seen.dtype, seen.shape) == (array.dtype, array.shape)
        assert seen.tobytes() == array.tobytes()
        (tmp_path / "to.npy").unlink()


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("name", LACKED)
def test_ml_dtypes_arrays_are_what_the_program_says(tmp_path, name, order):
    kind = LACKED[name]
    array = random_array(kind, (6, 7))
    if name in ("f6E2M3FN", "f6E3M2FN", "f4E2M1FN"):
        array = array.astype(np.float32).astype(kind)  # without bits above its own
    np.save(tmp_path / "from.npy", np.asarray(array, order=order))
    code, out, err = peer("copy", tmp_path / "from.npy", "-", tmp_path / "to.npy")
    assert (code, out) == (2, b"") and "does not name its element type" in err
    code, out, err = peer("copy", tmp_path / "from.npy", name, tmp_path / "to.npy")
    assert (code, out, err) == (0, f"{name} assumed\n".encode(), "")
    seen = np.load(tmp_path / "to.npy")
    assert seen.dtype.kind == "V" and seen.shape == array.shape
    assert seen.view(kind).tobytes() == array.tobytes()
    # Once more, of what we wrote.
    code, out, _ = peer("copy", tmp_path / "to.npy", name, tmp_path / "again.npy")
    assert (code, out) == (0, f"{name} assumed\n".encode())
    assert (tmp_path / "again.npy").read_bytes() == (tmp_path / "to.npy").read_bytes()


@pytest.mark.parametrize("name, low, high", [("i4", -8, 7), ("ui4", 0, 15), ("i2", -2, 1),
                                             ("ui2", 0, 3)])
def test_small_integers(tmp_path, name, low, high):
    kind = getattr(ml_dtypes, name.replace("ui", "uint") if "u" in name else f"int{name[1:]}")
    numbers = np.arange(low, high + 1)
    plain = numbers.astype(np.int8 if low else np.uint8)
    for array in (numbers.astype(np.int8), numbers.astype(kind),
                  *([numbers.astype(np.uint8)] if low == 0 else [])):
        np.save(tmp_path / "from.npy", array)
        code, out, err = peer("copy", tmp_path / "from.npy", name, tmp_path / "to.npy")
        assert (code, out, err) == (0, f"{name} assumed\n".encode(), "")
        seen = np.load(tmp_path / "to.npy")
        assert seen.dtype == plain.dtype
        np.testing.assert_array_equal(seen, numbers)
        (tmp_path / "to.npy").unlink()
    for wrong in (low - 1, high + 1):
        np.save(tmp_path / "from.npy", np.array([0, wrong], np.int8))
        code, _, err = peer("copy", tmp_path / "from.npy", name, tmp_path / "to.npy")
        assert code == 2 and f"element 1 is {wrong};" in err


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_archives(tmp_path, save):
    arrays = {"a": random_array(np.float32, (100, 30)), "b.npy": random_array("i4", ()),
              "bf": random_array(ml_dtypes.bfloat16, (4, 5)), "zeros": np.zeros((1000, 1000))}
    save(tmp_path / "some.npz", **arrays)
    for name, array in arrays.items():
        wanted = "bf16" if name == "bf" else "-"
        for suffix in ("", ".npy"):
            member = f"{tmp_path / 'some.npz'}:{name}{suffix}"
            code, _, err = peer("copy", member, wanted, tmp_path / "to.npy")
            assert (code, err) == (0, "")
            assert np.load(tmp_path / "to.npy").tobytes() == array.tobytes()
            (tmp_path / "to.npy").unlink()
    code, _, err = peer("copy", tmp_path / "some.npz", "-", tmp_path / "to.npy")
    assert code == 2 and "add a colon and one of a.npy, b.npy.npy, bf.npy, zeros.npy" in err


@pytest.mark.parametrize("array, words", [
    (np.array([{}, None]), "unpickled"),
    (np.array([(1, 2.0)], [("x", "i4"), ("y", "f4")]), "structured"),
    (np.array(["text"]), "'<U4'"), (np.array([b"text"]), "'|S4'"),
    (np.array(["2020-01-01"], "M8[D]"), "'<M8[D]'"), (np.zeros(2, np.longdouble), "'<f16'"),
    (np.zeros(2, "V16"), "'|V16'"),
], ids=lambda value: None if isinstance(value, str) else str(value.dtype))
def test_arrays_that_no_program_takes(tmp_path, array, words):
    np.save(tmp_path / "from.npy", array)
    for wanted in ("-", "f32", "bf16"):
        code, _, err = peer("copy", tmp_path / "from.npy", wanted, tmp_path / "to.npy")
        assert code == 2 and words in err and not (tmp_path / "to.npy").exists()


def test_later_versions(tmp_path):
    array = random_array(np.float32, (3, 4))
    for version in ((1, 0), (2, 0), (3, 0)):
        with open(tmp_path / "from.npy", "wb") as file:
            np.lib.format.write_array(file, array, version)
        code, out, _ = peer("copy", tmp_path / "from.npy", "-", tmp_path / "to.npy")
        assert (code, out) == (0, b"f32\n")
        assert np.load(tmp_path / "to.npy").tobytes() == array.tobytes()
        (tmp_path / "to.npy").unlink()
