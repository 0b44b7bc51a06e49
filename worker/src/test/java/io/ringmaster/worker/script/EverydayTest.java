package io.ringmaster.worker.script;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

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

  @Test
  void allOfItIsAsInPython() {
    assertThat(Scripts.run(FILE).tests().orElseThrow().cases())
        .hasSize(11)
        .allSatisfy(
            one ->
                assertThat(one.status())
                    .as("%s: %s", one.name(), one.message())
                    .isEqualTo(TestCase.Status.FINISHED));
  }
}
