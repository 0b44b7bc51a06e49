import pytest

SkipTest = pytest.skip.Exception


def skip(reason):
    return pytest.mark.skip(reason=reason)


def skipIf(condition, reason):
    return pytest.mark.skipif(condition, reason=reason)


def skipUnless(condition, reason):
    return pytest.mark.skipif(not condition, reason=reason)


def expectedFailure(test):
    return pytest.mark.xfail(strict=True)(test)


def main(module="__main__", defaultTest=None, argv=None, testRunner=None, testLoader=None, exit=True,
         verbosity=1, failfast=None, catchbreak=None, buffer=None, warnings=None):
    code = pytest.main(["-x"] if failfast else [])
    if exit:
        raise SystemExit(code)


class _SubTest:
    def __enter__(self):
        return None

    def __exit__(self, *error):
        return False


def _words(standard, msg):
    return standard if msg is None else standard + " : " + str(msg)


def _short(value):
    text = repr(value)
    return text if len(text) <= 200 else text[:200] + "[...]"


def _counted(values):
    left = list(values)
    counts = []
    while left:
        first = left[0]
        rest = [value for value in left if value != first]
        counts.append((first, len(left) - len(rest)))
        left = rest
    return counts


class TestCase:
    _unittest_ = True
    maxDiff = None
    longMessage = True
    failureException = AssertionError

    @classmethod
    def setUpClass(cls):
        pass

    @classmethod
    def tearDownClass(cls):
        pass

    def setUp(self):
        pass

    def tearDown(self):
        pass

    @classmethod
    def setup_class(cls):
        cls.setUpClass()

    @classmethod
    def teardown_class(cls):
        cls.tearDownClass()

    def setup_method(self):
        self._cleanups = []
        try:
            self.setUp()
        except BaseException:
            self.doCleanups()
            raise

    def teardown_method(self):
        try:
            self.tearDown()
        finally:
            self.doCleanups()

    def addCleanup(self, function, *args, **kwargs):
        self._cleanups.append((function, args, kwargs))

    def doCleanups(self):
        while self._cleanups:
            function, args, kwargs = self._cleanups.pop()
            function(*args, **kwargs)

    def subTest(self, msg=None, **params):
        return _SubTest()

    def skipTest(self, reason):
        pytest.skip(reason)

    def fail(self, msg=None):
        raise AssertionError(msg)

    def assertTrue(self, expr, msg=None):
        assert expr, _words(_short(expr) + " is not true", msg)

    def assertFalse(self, expr, msg=None):
        assert not expr, _words(_short(expr) + " is not false", msg)

    def assertEqual(self, first, second, msg=None):
        assert first == second, _words(_short(first) + " != " + _short(second), msg)

    def assertNotEqual(self, first, second, msg=None):
        assert first != second, _words(_short(first) + " == " + _short(second), msg)

    def assertSequenceEqual(self, first, second, msg=None, seq_type=None):
        self.assertEqual(list(first), list(second), msg)

    def assertListEqual(self, list1, list2, msg=None):
        self.assertEqual(list1, list2, msg)

    def assertTupleEqual(self, tuple1, tuple2, msg=None):
        self.assertEqual(tuple1, tuple2, msg)

    def assertSetEqual(self, set1, set2, msg=None):
        self.assertEqual(set1, set2, msg)

    def assertDictEqual(self, d1, d2, msg=None):
        self.assertEqual(d1, d2, msg)

    def assertMultiLineEqual(self, first, second, msg=None):
        self.assertEqual(first, second, msg)

    def assertCountEqual(self, first, second, msg=None):
        ours = _counted(first)
        theirs = _counted(second)
        same = len(ours) == len(theirs) and all([one in theirs for one in ours])
        assert same, _words("Element counts were not equal", msg)

    def assertIs(self, expr1, expr2, msg=None):
        assert expr1 is expr2, _words(_short(expr1) + " is not " + _short(expr2), msg)

    def assertIsNot(self, expr1, expr2, msg=None):
        assert expr1 is not expr2, _words("unexpectedly identical: " + _short(expr1), msg)

    def assertIsNone(self, obj, msg=None):
        assert obj is None, _words(_short(obj) + " is not None", msg)

    def assertIsNotNone(self, obj, msg=None):
        assert obj is not None, _words("unexpectedly None", msg)

    def assertIn(self, member, container, msg=None):
        assert member in container, _words(_short(member) + " not found in " + _short(container), msg)

    def assertNotIn(self, member, container, msg=None):
        assert member not in container, _words(
            _short(member) + " unexpectedly found in " + _short(container), msg)

    def assertIsInstance(self, obj, cls, msg=None):
        assert isinstance(obj, cls), _words(_short(obj) + " is not an instance of " + repr(cls), msg)

    def assertNotIsInstance(self, obj, cls, msg=None):
        assert not isinstance(obj, cls), _words(_short(obj) + " is an instance of " + repr(cls), msg)

    def assertAlmostEqual(self, first, second, places=None, msg=None, delta=None):
        bound = _bound(places, delta)
        assert abs(first - second) <= bound, _words(
            _short(first) + " != " + _short(second) + " within " + repr(bound), msg)

    def assertNotAlmostEqual(self, first, second, places=None, msg=None, delta=None):
        bound = _bound(places, delta)
        assert abs(first - second) > bound, _words(
            _short(first) + " == " + _short(second) + " within " + repr(bound), msg)

    def assertGreater(self, a, b, msg=None):
        assert a > b, _words(_short(a) + " not greater than " + _short(b), msg)

    def assertGreaterEqual(self, a, b, msg=None):
        assert a >= b, _words(_short(a) + " not greater than or equal to " + _short(b), msg)

    def assertLess(self, a, b, msg=None):
        assert a < b, _words(_short(a) + " not less than " + _short(b), msg)

    def assertLessEqual(self, a, b, msg=None):
        assert a <= b, _words(_short(a) + " not less than or equal to " + _short(b), msg)

    def assertRegex(self, text, expected_regex, msg=None):
        import re
        assert re.search(expected_regex, text), _words(
            "Regex didn't match: " + repr(expected_regex) + " not found in " + _short(text), msg)

    def assertRaises(self, expected_exception, *args, **kwargs):
        return _raised(_raises(expected_exception), args, kwargs)

    def assertRaisesRegex(self, expected_exception, expected_regex, *args, **kwargs):
        return _raised(_raises(expected_exception, match=expected_regex), args, kwargs)


def _bound(places, delta):
    if delta is not None and places is not None:
        raise TypeError("specify delta or places not both")
    return delta if delta is not None else 0.5 * 10 ** -(7 if places is None else places)


def _raised(context, args, kwargs):
    if not args:
        return context
    with context:
        args[0](*args[1:], **{key: value for key, value in kwargs.items() if key != "msg"})
    return None
