package io.ringmaster.worker.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.ringmaster.worker.script.ScriptResult.Outcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Command lines of drivers. */
class ArgparseTest {

  private static final String PARSER =
      """
      import argparse
      p = argparse.ArgumentParser(description="Demo.")
      p.add_argument("-p", "--platform", default="a2a3sim", choices=["a2a3sim", "a5sim"])
      p.add_argument("-d", "--device", type=lambda s: [int(d) for d in s.split(",")], default="0,1")
      p.add_argument("-n", type=int, default=3, help="rounds (default: %(default)s)")
      p.add_argument("--compile-only", action="store_true")
      p.add_argument("--tag", action="append", default=None)
      p.add_argument("-v", action="count", default=0)
      p.add_argument("files", nargs="*", metavar="FILE")
      args = p.parse_args()
      print(args.platform, args.device, args.n, args.compile_only, args.tag, args.v, args.files)
      """;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '§',
      nullValues = "-",
      textBlock =
          """
          -                                  | a2a3sim [0, 1] 3 False None 0 []
          -p a5sim -d 4,9,2                  | a5sim [4, 9, 2] 3 False None 0 []
          --platform=a5sim --device 7        | a5sim [7] 3 False None 0 []
          -d3,4 -n-2                         | a2a3sim [3, 4] -2 False None 0 []
          -n -5 --compile-only               | a2a3sim [0, 1] -5 True None 0 []
          --tag a --tag b -vv x y            | a2a3sim [0, 1] 3 False ['a', 'b'] 2 ['x', 'y']
          --plat a5sim                       | a5sim [0, 1] 3 False None 0 []
          -- -n                              | a2a3sim [0, 1] 3 False None 0 ['-n']
          """)
  void argumentsAreRead(String line, String expected) {
    String[] words = line == null ? new String[0] : line.split(" ");
    assertThat(Scripts.output(PARSER, words)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '§',
      textBlock =
          """
          -p foo             | argument -p/--platform: invalid choice: 'foo' (choose from 'a2a3sim', 'a5sim')
          -n x               | argument -n: invalid int value: 'x'
          -d                 | argument -d/--device: expected one argument
          --bogus            | unrecognized arguments: --bogus
          --compile-only=1   | argument --compile-only: ignored explicit argument '1'
          -d 1,x             | argument -d/--device: invalid <lambda> value: '1,x'
          """)
  void mistakesEndWithUsageAndCodeTwo(String line, String message) {
    ScriptResult result = Scripts.run(PARSER, line.split(" "));
    assertThat(result.outcome()).isEqualTo(Outcome.EXITED);
    assertThat(result.message())
        .isEqualTo("the script exited with code 2: script.py: error: " + message);
    assertThat(result.log())
        .startsWith("usage: script.py [-h]")
        .endsWith("error: " + message + "\n");
  }

  @Test
  void helpShowsWhatThereIs() {
    ScriptResult result = Scripts.run(PARSER, "-h");
    assertThat(result.outcome()).isEqualTo(Outcome.FINISHED);
    assertThat(result.log())
        .contains("Demo.")
        .contains("  -n N                  rounds (default: 3)")
        .contains("positional arguments:");
  }

  @Test
  void requiredArgumentsAreAskedFor() {
    String text =
        "import argparse\np = argparse.ArgumentParser()\np.add_argument('--out', required=True)\n"
            + "p.add_argument('file')\nprint(p.parse_args())";
    assertThat(Scripts.run(text).log())
        .endsWith("error: the following arguments are required: --out, file\n");
    assertThat(Scripts.output(text, "f", "--out", "o")).isEqualTo("Namespace(out='o', file='f')");
  }

  @Test
  void actionsOfAllKinds() {
    String text =
        """
        import argparse
        class Ids(argparse.Action):
            def __call__(self, parser, namespace, values, option_string=None):
                setattr(namespace, self.dest, (option_string, [int(v) for v in values.split(",")]))
        p = argparse.ArgumentParser()
        p.add_argument("-d", "--device", action=Ids, default=[0])
        p.add_argument("--ids", action=Ids, nargs="?", const="7", default=[0])
        p.add_argument("--check", action=argparse.BooleanOptionalAction, default=True)
        p.add_argument("--op", action="extend", nargs="+", default=[])
        p.add_argument("--fast", dest="how", action="append_const", const="fast")
        a = p.parse_args()
        print(a, "op" in a, a == argparse.Namespace(**vars(a)))
        """;
    assertThat(Scripts.output(text))
        .isEqualTo("Namespace(device=[0], ids=[0], check=True, op=[], how=None) True True");
    assertThat(
            Scripts.output(
                text,
                "-d",
                "4,9",
                "--ids",
                "--no-check",
                "--op",
                "a",
                "b",
                "--op",
                "c",
                "--fast",
                "--fast"))
        .isEqualTo(
            "Namespace(device=('-d', [4, 9]), ids=('--ids', [7]), check=False, op=['a', 'b', 'c'],"
                + " how=['fast', 'fast']) True True");
  }

  private static final String COMMANDS =
      """
      import argparse
      def fast(args):
          return ("fast", args.size)
      def slow(args):
          return ("slow", args.file, args.times)
      p = argparse.ArgumentParser()
      p.add_argument("-v", action="store_true")
      commands = p.add_subparsers(dest="command", required=True, help="what to do")
      quick = commands.add_parser("fast", help="quickly")
      quick.add_argument("--size", type=int, default=4)
      quick.set_defaults(func=fast)
      long = commands.add_parser("slow", aliases=["s"], help="with care")
      long.add_argument("file")
      long.add_argument("-t", "--times", type=int, default=1)
      long.set_defaults(func=slow)
      args = p.parse_args()
      print(args.v, args.command, args.func(args))
      """;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '§',
      textBlock =
          """
          fast                 | False fast ('fast', 4)
          -v fast --size 8     | True fast ('fast', 8)
          slow k.py -t 3       | False slow ('slow', 'k.py', 3)
          s k.py               | False s ('slow', 'k.py', 1)
          """)
  void commandsHaveArgumentsOfTheirOwn(String line, String expected) {
    assertThat(Scripts.output(COMMANDS, line.split(" "))).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '§',
      nullValues = "-",
      textBlock =
          """
          -                  | script.py: error: the following arguments are required: command
          quick              | script.py: error: argument command: invalid choice: 'quick' (choose from 'fast', 'slow', 's')
          slow               | script.py slow: error: the following arguments are required: file
          fast --size x      | script.py fast: error: argument --size: invalid int value: 'x'
          fast --times 3     | script.py: error: unrecognized arguments: --times 3
          """)
  void mistakesInCommandsAreTold(String line, String message) {
    String[] words = line == null ? new String[0] : line.split(" ");
    ScriptResult result = Scripts.run(COMMANDS, words);
    assertThat(result.outcome()).isEqualTo(Outcome.EXITED);
    assertThat(result.log()).endsWith(message + "\n");
  }

  @Test
  void helpNamesTheCommands() {
    assertThat(Scripts.run(COMMANDS, "-h").log())
        .startsWith("usage: script.py [-h] [-v] {fast,slow,s} ...\n")
        .contains("    fast                quickly\n");
    assertThat(Scripts.run(COMMANDS, "slow", "-h").log())
        .startsWith("usage: script.py slow [-h] [-t TIMES] file\n");
  }

  @Test
  void withoutOneAScriptMayPrintHelp() {
    String text =
        """
        import argparse
        p = argparse.ArgumentParser()
        commands = p.add_subparsers(dest="command")
        commands.add_parser("run")
        print(p.parse_args(), p.parse_args(["run"]))
        """;
    assertThat(Scripts.output(text)).isEqualTo("Namespace(command=None) Namespace(command='run')");
  }
}
