def assert_close(actual, expected, rtol=1e-5, atol=1e-8):
    if not actual.allclose(expected, rtol=rtol, atol=atol):
        raise AssertionError("Tensor-likes are not close!")
