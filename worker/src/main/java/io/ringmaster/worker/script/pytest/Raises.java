package io.ringmaster.worker.script.pytest;

import io.ringmaster.worker.script.builtin.Builtins;
import io.ringmaster.worker.script.check.CheckBook;
import io.ringmaster.worker.script.check.Claim;
import io.ringmaster.worker.script.check.Facts;
import io.ringmaster.worker.script.check.Origin;
import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.ClassValue;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Exceptions;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.PyError;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Span;
import java.util.List;
import java.util.Optional;

/**
 * {@code with pytest.raises(expected, match=...)}: an error that a test asks for is a check, and
 * one that counts where it is a refusal of a kernel, or of how it is launched.
 */
final class Raises implements NativeObject {

  /** What is said of a refusal that is only a comparison which fails. */
  private static final String COMPARISON_FAILS =
      "what it wants is a comparison that fails, and almost any output makes it fail";

  /** What is said of an error that has nothing to do with a kernel. */
  private static final String NOT_OF_KERNELS =
      "the error that it wants doesn't come from compiling or launching a kernel, so it says"
          + " nothing of one";

  private final Value expected;
  private final List<ClassValue> types;
  private final Optional<String> match;
  private final Optional<Value> check;
  private final Span at;
  private final ExceptionInfo info;
  private int claimsBefore;

  private Raises(Value expected, Bound a, ExceptionInfo info, Span at) {
    this.info = info;
    this.expected = expected;
    this.types = types(expected);
    this.match = a.has("match") ? Optional.of(a.string("match")) : Optional.empty();
    this.check = a.has("check") ? a.find("check") : Optional.empty();
    this.at = at;
  }

  /** {@code pytest.raises(expected)}, or {@code pytest.raises(expected, function, args)}. */
  static Value of(Bound a, Call call) {
    if (!a.has("expected_exception")) {
      throw Errors.value(
          "Expected an exception type or a tuple of exception types, but got `None`."
              + " Raising exceptions is already understood as failing the test.");
    }
    Raises raises =
        new Raises(a.get("expected_exception"), a, new ExceptionInfo(false), place(call));
    if (a.rest().isEmpty()) {
      return raises;
    }
    raises.enter(call);
    try {
      List<Value> rest = a.rest().subList(1, a.rest().size());
      call.interp().call(a.rest().getFirst(), new Arguments(rest, a.named()), call.span());
    } catch (PyError error) {
      if (raises.exit(Optional.of(error), call)) {
        return raises.info;
      }
      throw error;
    }
    raises.exit(Optional.empty(), call);
    return raises.info;
  }

  /** {@code self.assertRaises(expected)}: what it binds has the exception by another name, too. */
  static Value named(Bound a, Call call) {
    return new Raises(a.get("expected"), a, new ExceptionInfo(true), place(call));
  }

  /** The script's line, also where the library calls. */
  private static Span place(Call call) {
    return call.interp().session().budget().here();
  }

  private static List<ClassValue> types(Value expected) {
    List<Value> all = expected instanceof TupleValue tuple ? tuple.items() : List.of(expected);
    for (Value one : all) {
      if (!(one instanceof ClassValue type) || !type.isSubclassOf(Exceptions.BASE_EXCEPTION)) {
        throw Errors.type("pytest.raises() takes an exception class or a tuple of them");
      }
    }
    return all.stream().map(ClassValue.class::cast).toList();
  }

  @Override
  public String typeName() {
    return "RaisesExc";
  }

  @Override
  public Value enter(Call call) {
    claimsBefore = call.interp().session().checks().mark();
    return info;
  }

  @Override
  public boolean exit(Optional<PyError> error, Call call) {
    Interp interp = call.interp();
    if (error.isEmpty()) {
      String why = "DID NOT RAISE " + names(interp);
      record(interp, false, why);
      throw Outcomes.raise(Outcomes.FAILED, why);
    }
    if (!Builtins.isInstance(error.get().exception(), expected)) {
      return false;
    }
    info.fill(error.get().exception());
    String text = interp.str(error.get().exception());
    if (match.isPresent() && !ExceptionInfo.found(match.get(), text, interp)) {
      String why = ExceptionInfo.mismatch(match.get(), text);
      record(interp, false, why);
      throw Errors.of(Exceptions.ASSERTION_ERROR, why);
    }
    if (check.isPresent()
        && !interp.truth(
            interp.call(check.get(), Arguments.of(error.get().exception()), call.span()))) {
      String why = "the check of the raised " + error.get().exception().type().name() + " failed";
      record(interp, false, why);
      throw Errors.of(Exceptions.ASSERTION_ERROR, why);
    }
    // What failed inside was meant to fail.
    CheckBook checks = interp.session().checks();
    boolean asserts = error.get().is(Exceptions.ASSERTION_ERROR) || error.get().is(Outcomes.FAILED);
    boolean looked = checks.glimpsed() > 0 || checks.mark() > claimsBefore;
    boolean compares = checks.hasFailureSince(claimsBefore) || (asserts && looked);
    checks.excuseSince(claimsBefore);
    if (compares || match.isPresent() || isNarrow()) {
      Claim claim = claim(true, "");
      if (compares) {
        claim.provesNothing(COMPARISON_FAILS);
      } else if (!error.get().isOfKernels()) {
        claim.provesNothing(NOT_OF_KERNELS);
      }
      checks.record(claim);
    }
    return true;
  }

  /** True for a type that not every mistake in the test raises as well. */
  private boolean isNarrow() {
    return types.stream()
        .noneMatch(t -> t == Exceptions.EXCEPTION || t == Exceptions.BASE_EXCEPTION);
  }

  private String names(Interp interp) {
    String all = String.join(", ", types.stream().map(interp::repr).toList());
    return types.size() == 1 ? all : "(" + all + ")";
  }

  private void record(Interp interp, boolean holds, String why) {
    interp.session().checks().record(claim(holds, why));
  }

  private Claim claim(boolean holds, String why) {
    String name =
        "raises "
            + String.join(" or ", types.stream().map(ClassValue::name).toList())
            + match.map(m -> " matching '" + m + "'").orElse("");
    return Claim.of(
        Claim.RAISES, name, at.line(), holds, Origin.NONE, () -> Facts.ofNumbers(holds, why));
  }

  @Override
  public String repr(Interp interp) {
    return "RaisesExc(" + names(interp) + ")";
  }
}
