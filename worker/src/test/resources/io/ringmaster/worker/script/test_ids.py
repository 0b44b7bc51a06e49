import math

import pytest


def helper():
    pass


@pytest.fixture(params=[1, 2])
def fx(request):
    return request.param


@pytest.fixture(params=["p", "q"], scope="module")
def mfx(request):
    return request.param


@pytest.fixture(params=[10, pytest.param(20, id="twenty")], ids=lambda v: f"v{v}")
def ids_fx(request):
    return request.param


@pytest.mark.parametrize("b", [3, 4])
def test_fix(fx, b):
    pass


@pytest.mark.parametrize("b", [3])
def test_mfix(b, mfx, fx):
    pass


def test_idsfx(ids_fx):
    pass


@pytest.mark.parametrize("x", [0, 1])
@pytest.mark.parametrize("y", [2, 3])
def test_stack(x, y):
    pass


@pytest.mark.parametrize(
    "v",
    [1, 1, 2, "1", "a", "a", 1.5, None, True, helper, [1], (1, 2), "é", "a\nb", "", 1e-3, {"k": 1}, int],
)
def test_vals(v):
    pass


@pytest.mark.parametrize(
    "a,b",
    [(1, 2), pytest.param(3, 4, id="three"), pytest.param(5, 6, marks=pytest.mark.skip(reason="no"))],
)
def test_tuple(a, b):
    pass


@pytest.mark.parametrize("a,b", [(1, 2), (3, 4)], ids=["one", None])
def test_ids(a, b):
    pass


@pytest.mark.parametrize("a,b", [(1, 2), (3, 4)], ids=lambda v: None if v == 1 else f"<{v}>")
def test_idf(a, b):
    pass


@pytest.mark.parametrize("a", [])
def test_empty(a):
    pass


@pytest.mark.parametrize("z", ["cls1", "cls2"])
class TestC:
    @pytest.mark.parametrize("w", [7, 8])
    def test_m(self, w, z):
        pass

    def test_k(self, z):
        pass

    class TestInner:
        def test_in(self, z):
            pass


@pytest.mark.parametrize("fx", [9], indirect=True)
def test_ind(fx):
    assert fx == 9


@pytest.mark.parametrize(("p",), [(1,), (2,)])
def test_onetuple(p):
    pass


@pytest.mark.parametrize("a", ["x", "x"], ids=["same", "same"])
def test_dup(a):
    pass


@pytest.mark.parametrize("a", ["x1", "x1"])
def test_dup2(a):
    pass


@pytest.mark.parametrize("a", range(2))
def test_r(a):
    pass


@pytest.mark.parametrize("a", [(1, 2), (3, 4)])
def test_single_tuple(a):
    pass


@pytest.mark.parametrize("a", [math.inf, math.nan, 10**20, -5])
def test_nums(a):
    pass


class TestBase:
    def test_inherited(self):
        pass


class TestDerived(TestBase):
    def test_own(self):
        pass

    @staticmethod
    def test_static():
        pass


class TestWithInit:
    def __init__(self):
        self.x = 1

    def test_never(self):
        pass


class Helper:
    def test_never(self):
        pass
