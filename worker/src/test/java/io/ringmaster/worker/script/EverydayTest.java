package io.ringmaster.worker.script;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Small things of Python, its library and pytest that drivers and tests have everywhere. */
class EverydayTest {

  private static final String FILE =
      """
      import argparse, dataclasses, enum, functools, io, json, pytest, random, re, sys
      from pypto.ir import DistributedConfig
      class L(enum.IntEnum):
          A = 1
      class E(enum.Enum):
          B = "b"
      class T:
          def __format__(self, spec): return f"<{spec}>"
      def test_format():
          assert f"{L.A:02d} {L.A:>3} {E.B:>5} {T():x} {T()}" == "01   1   E.B <x> <>"
          assert "{:04d}".format(L.A) == "0001" and format(L.A, "x") == "1"
      def test_json():
          assert json.dumps({"a": [1, {"b": ()}], "e": L.A}, indent=2) == '{\\n  "a": [\\n    1,\\n    {\\n      "b": []\\n    }\\n  ],\\n  "e": 1\\n}'
          assert json.dumps("ä\\U0001f600\\x01") == '"\\\\u00e4\\\\ud83d\\\\ude00\\\\u0001"' and json.dumps("ä", ensure_ascii=False) == '"ä"'
          assert json.dumps([1, float("inf"), float("nan"), -0.5], separators=(",", ":")) == "[1,Infinity,NaN,-0.5]"
          assert json.dumps({"x": T()}, default=lambda t: {"t": [1]}, indent=1) == '{\\n "x": {\\n  "t": [\\n   1\\n  ]\\n }\\n}'
          out = io.StringIO()
          json.dump({"a": 1}, out)
          assert json.load(io.StringIO(out.getvalue())) == {"a": 1}
      def test_caps(capsys):
          print("a"); print("b", file=sys.stderr); sys.stderr.write("c\\n")
          assert capsys.readouterr() == ("a\\n", "b\\nc\\n")
          with capsys.disabled():
              print("shown")
          out, err = capsys.readouterr()
          assert out == "" and err == ""
          with pytest.raises(SystemExit):
              argparse.ArgumentParser(prog="p").parse_args(["--nope"])
          assert "unrecognized arguments: --nope" in capsys.readouterr().err
      N = 4
      def test_request(request, capfd):
          assert request.fixturenames == ["request", "capfd"] and request.module.__name__ == "script"
          assert getattr(request.module, "N", 2) == 4 and getattr(request.module, "M", 2) == 2
      def test_dict():
          class A:
              def __init__(self, **kw): self.__dict__.update(kw)
          a = A(x=1, y=2)
          assert a.x == 1 and a.__dict__ == {"x": 1, "y": 2} and list(a.__dict__) == ["x", "y"]
          vars(a)["z"] = 3
          del a.__dict__["x"]
          assert a.z == 3 and not hasattr(a, "x") and {**a.__dict__} == {"y": 2, "z": 3} and dict(vars(a)) == vars(a)
          A.n = 1
          del A.n
          assert not hasattr(A, "n")
      def test_parents():
          p = argparse.ArgumentParser(add_help=False)
          p.add_argument("--x", type=int, default=1)
          p.set_defaults(k=3)
          q = argparse.ArgumentParser(parents=[p])
          q.add_argument("--y")
          assert vars(q.parse_args(["--x", "4"])) == {"x": 4, "y": None, "k": 3}
          with pytest.raises(ValueError):
              q.add_argument("--x")
      def test_re():
          m = re.match(r"(?P<a>\\d+)-(?P<b>\\w+)(x)?", "12-ab")
          assert m["a"] == "12" and m[2] == "ab" and m[0] == m.group() and m.group(1, "b") == ("12", "ab")
          assert m.groups("none")[2] == "none" and m.span("b") == (3, 5) and m.start(2) == 3
          with pytest.raises(IndexError, match="no such group"):
              m["c"]
          with pytest.raises(IndexError, match="no such group"):
              m[4]
      def test_random():
          drawn = random.choices("abc", weights=[0, 1, 3], k=400)
          assert "a" not in drawn and 50 < drawn.count("b") < 150
          assert set(random.choices([1, 2], cum_weights=[0, 1], k=20)) == {2}
          for wrong in (dict(weights=[1]), dict(weights=[0, 0]), dict(weights=[-1, 1])):
              with pytest.raises(ValueError):
                  random.choices([1, 2], **wrong)
      def test_version():
          assert sys.version_info.major == 3 and sys.version_info >= (3, 8)
      def test_configs():
          config = dataclasses.replace(DistributedConfig(device_ids=[0, 1]), device_ids=[2, 3, 4])
          assert config.device_ids == [2, 3, 4] and config.world_size == 3
          with pytest.raises(ValueError):
              dataclasses.replace(config, device_ids=[])
      def test_wrapped():
          def double(fn):
              @functools.wraps(fn)
              def inner(x):
                  return 2 * fn(x)
              return inner
          @double
          def f(x):
              return x
          assert f(2) == 4 and f.__wrapped__(2) == 2
      """;

  private static final String NAMES =
      """
      import collections, datetime, math, os, tempfile, types
      from datetime import timedelta
      from pypto import DataType
      import pypto.language as pl
      from pypto.ir import DistributedCompiledProgram, OptimizationStrategy
      from pypto.ir.pass_manager import OptimizationStrategy as Other
      from typing_extensions import Self
      def test_names():
          assert DataType.FP32 is pl.FP32 and isinstance(pl.INT32, DataType) and not isinstance(pl.range, DataType)
          assert Other is OptimizationStrategy and isinstance([], collections.abc.Sequence)
          def f(**named):
              return named
          assert f(**types.MappingProxyType({"a": 1})) == {"a": 1}
          assert types.NoneType is type(None) and isinstance(None, types.NoneType)
          m = types.MappingProxyType({"a": 1})
          assert m["a"] == 1 and dict(m) == {"a": 1} and {**m} == {"a": 1} and len(m) == 1
      def test_os():
          os.makedirs("/tmp/x", exist_ok=True)
          assert os.cpu_count() >= 1 and os.getpid() > 0 and os.name == "posix" and os.path.split("/a/b") == ("/a", "b")
          with tempfile.TemporaryDirectory() as d, tempfile.TemporaryDirectory() as e:
              assert d.startswith("/tmp/") and d != e
          assert tempfile.mkdtemp(prefix="k") != tempfile.mkdtemp(prefix="k")
      def test_math():
          assert abs(math.erf(0.5) - 0.5204998778130465) < 1e-15 and math.erfc(0) == 1 and math.expm1(0) == 0
          assert math.exp2(3) == 8 and math.cbrt(27) == 3 and math.atan2(1, 1) == math.pi / 4
          assert math.modf(-2.5) == (-0.5, -2.0) and math.perm(5, 2) == 20 and math.perm(4) == 24 and math.perm(2, 3) == 0
          assert math.modf(float("inf")) == (0.0, float("inf"))
      def test_dates():
          d = datetime.datetime(2024, 2, 29, 13, 5, 6, 7)
          assert str(d) == "2024-02-29 13:05:06.000007" and d.isoformat(timespec="seconds") == "2024-02-29T13:05:06"
          assert d.strftime("%Y%m%d-%H%M%S %a %b %j %I %p 100%%") == "20240229-130506 Thu Feb 060 01 PM 100%"
          assert f"{d:%H:%M}" == "13:05" and (d + timedelta(days=1)).isoformat() == "2024-03-01T13:05:06.000007"
          assert (d - datetime.datetime(2023, 2, 28)).days == 366 and d.weekday() == 3
          t = timedelta(hours=25, milliseconds=1500)
          assert str(t) == "1 day, 1:00:01.500000" and t.total_seconds() == 90001.5 and t / 2 < t and -t + t == timedelta()
          start = datetime.datetime.now()
          assert datetime.datetime.now() >= start and datetime.datetime.now(datetime.timezone.utc).isoformat().endswith("+00:00")
          assert datetime.date(2024, 12, 31) + timedelta(1) == datetime.date(2025, 1, 1) and datetime.date.today().year == 1970
          try:
              datetime.date(2023, 2, 29)
          except ValueError as e:
              assert "out of range" in str(e)
          else:
              assert False
      """;

  @ParameterizedTest
  @ValueSource(strings = {FILE, NAMES})
  void allOfItIsAsInPython(String file) {
    assertThat(Scripts.run(file).tests().orElseThrow().cases())
        .hasSizeGreaterThanOrEqualTo(4)
        .allSatisfy(
            one ->
                assertThat(one.status())
                    .as("%s: %s", one.name(), one.message())
                    .isEqualTo(TestCase.Status.FINISHED));
  }
}
