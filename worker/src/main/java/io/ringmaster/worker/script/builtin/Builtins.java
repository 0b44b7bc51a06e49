package io.ringmaster.worker.script.builtin;

import io.ringmaster.worker.script.check.Claim;
import io.ringmaster.worker.script.check.Origin;
import io.ringmaster.worker.script.value.Arguments;
import io.ringmaster.worker.script.value.AttributesDict;
import io.ringmaster.worker.script.value.Bound;
import io.ringmaster.worker.script.value.Call;
import io.ringmaster.worker.script.value.ClassValue;
import io.ringmaster.worker.script.value.DictValue;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Exceptions;
import io.ringmaster.worker.script.value.InstanceValue;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.IteratorValue;
import io.ringmaster.worker.script.value.Keys;
import io.ringmaster.worker.script.value.ListValue;
import io.ringmaster.worker.script.value.NativeFunction;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.SetValue;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Types;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Expr.BinaryOperator;
import io.ringmaster.worker.stop.StopOrder;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The functions every script has without importing anything. */
public final class Builtins {

  private static final BigInteger HASH_MODULUS =
      BigInteger.ONE.shiftLeft(61).subtract(BigInteger.ONE);

  private static final Map<String, Value> TABLE = new LinkedHashMap<>();

  static {
    TABLE.putAll(TypeObjects.all());
    Exceptions.all().forEach(TABLE::put);
    TABLE.put("Ellipsis", Value.ELLIPSIS);
    TABLE.put("__debug__", Value.of(true));
    define("abs", "x", (a, c) -> abs(a.get("x"), c.interp()));
    define("all", "iterable", (a, c) -> every(a.get("iterable"), true, c.interp()));
    define("any", "iterable", (a, c) -> every(a.get("iterable"), false, c.interp()));
    define("bin", "x", (a, c) -> Value.of(radix(a, 2, "0b")));
    define("oct", "x", (a, c) -> Value.of(radix(a, 8, "0o")));
    define("hex", "x", (a, c) -> Value.of(radix(a, 16, "0x")));
    define("callable", "object", (a, c) -> Value.of(isCallable(a.get("object"))));
    define("chr", "i", (a, c) -> chr(a.integer("i")));
    define("ord", "c", (a, c) -> ord(a.string("c")));
    define("divmod", "a, b", Builtins::divmod);
    define("enumerate", "iterable, start=", Builtins::enumerate);
    define("filter", "function, iterable", Builtins::filter);
    define("map", "function, *iterables", Builtins::map);
    define("zip", "*iterables, strict=", Builtins::zip);
    define("reversed", "sequence", Builtins::reversed);
    define(
        "format",
        "value, spec=",
        (a, c) -> Value.of(StrFormat.field(a.get("value"), a.string("spec", ""), c.interp())));
    define("getattr", "object, name, default=", Attributes::getattr);
    define("hasattr", "object, name", (a, c) -> Value.of(Attributes.hasattr(a, c)));
    define("setattr", "object, name, value", Builtins::setattr);
    define(
        "isinstance",
        "object, classinfo",
        (a, c) -> Value.of(isInstance(a.get("object"), a.get("classinfo"))));
    define("issubclass", "cls, classinfo", Builtins::issubclass);
    define("hash", "object", (a, c) -> new Value.Int(hash(a.get("object")), Origin.NONE));
    define(
        "iter",
        "object, sentinel=",
        (a, c) ->
            a.find("sentinel").isPresent()
                ? new IteratorValue(
                    "callable_iterator",
                    Iteration.until(a.get("object"), a.find("sentinel").get(), c))
                : new IteratorValue("iterator", c.interp().iterate(a.get("object"))));
    define("next", "iterator, default=", Builtins::next);
    define(
        "len",
        "object",
        (a, c) ->
            a.get("object") instanceof NativeObject object
                ? object.lengthValue()
                : Value.of(length(a.get("object"), c.interp())));
    TABLE.put("NotImplemented", NotImplementedValue.ONLY);
    define("max", "*values, key=, default=", (a, c) -> extreme(a, c, 1));
    define("min", "*values, key=, default=", (a, c) -> extreme(a, c, -1));
    define(
        "exit",
        "code=",
        (a, c) -> {
          throw exited(a.find("code"));
        });
    define(
        "quit",
        "code=",
        (a, c) -> {
          throw exited(a.find("code"));
        });
    define("pow", "base, exp, mod=", Builtins::pow);
    define("print", "*values, sep=, end=, file=, flush=", Builtins::print);
    define("repr", "object", (a, c) -> Value.of(c.interp().repr(a.get("object"))));
    define("round", "number, ndigits=", Builtins::round);
    define("sorted", "iterable, *, key=, reverse=", Builtins::sorted);
    define("sum", "iterable, start=", Builtins::sum);
    define("vars", "object", (a, c) -> vars(a.get("object")));
    define(
        "property",
        "function",
        (a, c) -> new Descriptor(Descriptor.Kind.PROPERTY, a.get("function")));
    define(
        "staticmethod",
        "function",
        (a, c) -> new Descriptor(Descriptor.Kind.STATIC, a.get("function")));
    define(
        "classmethod",
        "function",
        (a, c) -> new Descriptor(Descriptor.Kind.CLASS, a.get("function")));
  }

  private Builtins() {}

  private static void define(String name, String parameters, NativeFunction.Body body) {
    // "*iterables, strict=": what follows a star goes by keyword only.
    TABLE.put(name, NativeFunction.of(name, parameters, body));
  }

  /** Every built-in name with its value. */
  public static Map<String, Value> table() {
    return java.util.Collections.unmodifiableMap(TABLE);
  }

  /** Ends the script as {@code SystemExit} does: {@code exit}, {@code quit}, {@code sys.exit}. */
  public static io.ringmaster.worker.script.value.PyError exited(Optional<Value> code) {
    return new io.ringmaster.worker.script.value.PyError(
        Exceptions.make(Exceptions.SYSTEM_EXIT, code.map(List::of).orElse(List.of())));
  }

  private static Value vars(Value object) {
    if (!(object instanceof InstanceValue instance)) {
      throw Errors.type("vars() argument must have __dict__ attribute");
    }
    return new AttributesDict(instance);
  }

  /** A whole number's is itself, as scripts know it; others are as good as any. */
  private static BigInteger hash(Value value) {
    Object key = Keys.of(value);
    return key instanceof BigInteger number
        ? number.remainder(HASH_MODULUS)
        : BigInteger.valueOf(key.hashCode());
  }

  private static Value abs(Value value, Interp interp) {
    if (value instanceof Value.Float number) {
      return new Value.Float(Math.abs(number.value()), number.origin());
    }
    Optional<BigInteger> whole = Numbers.whole(value);
    if (whole.isPresent()) {
      return new Value.Int(whole.get().abs(), Numbers.origin(value));
    }
    if (value instanceof NativeObject object) {
      Optional<Value> method = object.attribute("abs");
      if (method.isPresent()) {
        return interp.call(method.get(), Arguments.of(), interp.session().budget().here());
      }
    }
    throw Errors.type("bad operand type for abs(): '" + Types.nameOf(value) + "'");
  }

  /** {@code all} and {@code any}; the claims of the elements are joined. */
  private static Value every(Value iterable, boolean all, Interp interp) {
    List<Claim.Term> claims = new ArrayList<>();
    Iterator<Value> items = interp.iterate(iterable);
    while (items.hasNext()) {
      Value.Bool truth = Operators.truthValue(items.next(), interp);
      truth.claim().ifPresent(claim -> claims.add(new Claim.Term(claim, truth.inverted())));
      if (truth.value() != all) {
        return joined(!all, claims, all);
      }
    }
    return joined(all, claims, all);
  }

  private static Value joined(boolean truth, List<Claim.Term> claims, boolean all) {
    return claims.isEmpty() ? Value.of(truth) : Value.of(truth, Claim.joined(claims, truth, all));
  }

  private static String radix(Bound a, int radix, String prefix) {
    BigInteger value =
        Numbers.whole(a.get("x"))
            .orElseThrow(
                () ->
                    Errors.type(
                        "'"
                            + Types.nameOf(a.get("x"))
                            + "' object cannot be interpreted as an integer"));
    return (value.signum() < 0 ? "-" : "") + prefix + value.abs().toString(radix);
  }

  /** True for what can be called. */
  public static boolean isCallable(Value value) {
    return switch (value) {
      case NativeFunction f -> true;
      case io.ringmaster.worker.script.value.FunctionValue f -> true;
      case io.ringmaster.worker.script.value.MethodValue m -> true;
      case ClassValue type -> true;
      case TypeObject type -> true;
      case InstanceValue instance -> instance.type().member("__call__").isPresent();
      case NativeObject object -> object.isCallable();
      default -> false;
    };
  }

  private static Value chr(long point) {
    if (point < 0 || point > Character.MAX_CODE_POINT) {
      throw Errors.value("chr() arg not in range(0x110000)");
    }
    return Value.of(Character.toString((int) point));
  }

  private static Value ord(String text) {
    if (text.codePointCount(0, text.length()) != 1) {
      throw Errors.type(
          "ord() expected a character, but string of length " + text.length() + " found");
    }
    return Value.of(text.codePointAt(0));
  }

  private static Value divmod(Bound a, Call call) {
    Interp interp = call.interp();
    return TupleValue.of(
        interp.binary(BinaryOperator.FLOOR_DIVIDE, a.get("a"), a.get("b")),
        interp.binary(BinaryOperator.MODULO, a.get("a"), a.get("b")));
  }

  private static Value enumerate(Bound a, Call call) {
    Iterator<Value> items = call.interp().iterate(a.get("iterable"));
    long[] at = {a.integer("start", 0)};
    return new IteratorValue(
        "enumerate", Iteration.mapped(items, item -> TupleValue.of(Value.of(at[0]++), item)));
  }

  private static Value map(Bound a, Call call) {
    Iterator<Value> tuples = zipped(a.rest(), false, call.interp());
    return new IteratorValue(
        "map",
        Iteration.mapped(
            tuples,
            tuple ->
                call.interp()
                    .call(
                        a.get("function"),
                        new Arguments(((TupleValue) tuple).items(), Map.of()),
                        call.span())));
  }

  private static Value zip(Bound a, Call call) {
    return new IteratorValue("zip", zipped(a.rest(), a.flag("strict", false), call.interp()));
  }

  private static Iterator<Value> zipped(List<Value> iterables, boolean strict, Interp interp) {
    List<Iterator<Value>> sources = new ArrayList<>();
    iterables.forEach(iterable -> sources.add(interp.iterate(iterable)));
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        int ready = 0;
        for (Iterator<Value> source : sources) {
          if (!source.hasNext()) {
            break;
          }
          ready++;
        }
        if (strict && ready < sources.size() && (ready > 0 || anyLeft())) {
          throw Errors.value("zip() arguments have different lengths");
        }
        return ready == sources.size() && ready > 0;
      }

      private boolean anyLeft() {
        return sources.stream().anyMatch(Iterator::hasNext);
      }

      @Override
      public Value next() {
        List<Value> items = new ArrayList<>();
        sources.forEach(source -> items.add(source.next()));
        return new TupleValue(items);
      }
    };
  }

  private static Value filter(Bound a, Call call) {
    Interp interp = call.interp();
    Iterator<Value> items = interp.iterate(a.get("iterable"));
    Value test = a.get("function");
    List<Value> kept = new ArrayList<>();
    while (items.hasNext()) {
      Value item = items.next();
      Value verdict =
          test instanceof Value.None ? item : interp.call(test, Arguments.of(item), call.span());
      if (interp.truth(verdict)) {
        kept.add(item);
      }
    }
    return new IteratorValue("filter", kept.iterator());
  }

  private static Value reversed(Bound a, Call call) {
    Value sequence = a.get("sequence");
    if (sequence instanceof Value.Range range) {
      long size = range.size();
      long last = size == 0 ? range.start() : range.at(size - 1);
      return new IteratorValue(
          "range_iterator",
          call.interp().iterate(new Value.Range(last, last - range.step() * size, -range.step())));
    }
    if (sequence instanceof IteratorValue || sequence instanceof SetValue) {
      throw Errors.type("'" + Types.nameOf(sequence) + "' object is not reversible");
    }
    return new IteratorValue(
        "list_reverseiterator", Iteration.toList(sequence, call.interp()).reversed().iterator());
  }

  private static Value setattr(Bound a, Call call) {
    Attributes.set(a.get("object"), a.string("name"), a.get("value"), call.interp(), call.span());
    return Value.NONE;
  }

  /** Python's {@code isinstance}. */
  public static boolean isInstance(Value value, Value type) {
    StopOrder.look();
    return switch (type) {
      case TypeObject known -> known.holds().test(value);
      case ClassValue known ->
          (value instanceof InstanceValue instance
                  && (instance.type().isSubclassOf(known) || keeps(instance, known)))
              || (value instanceof TupleValue tuple
                  && tuple.type().filter(own -> own.isSubclassOf(known)).isPresent());
      case TupleValue many -> many.items().stream().anyMatch(one -> isInstance(value, one));
      default ->
          throw Errors.type("isinstance() arg 2 must be a type, a tuple of types, or a union");
    };
  }

  /** True for an object with all that a protocol names, if that may be asked at run time. */
  private static boolean keeps(InstanceValue instance, ClassValue protocol) {
    return protocol.members().containsKey(ClassValue.PROTOCOL)
        && Stream.concat(protocol.members().keySet().stream(), protocol.fields().stream())
            .filter(name -> !name.startsWith("_"))
            .allMatch(
                name ->
                    instance.attributes().containsKey(name)
                        || instance.type().member(name).isPresent());
  }

  private static Value issubclass(Bound a, Call call) {
    Value type = a.get("cls");
    if (!isType(type)) {
      throw Errors.type("issubclass() arg 1 must be a class");
    }
    List<Value> bases =
        a.get("classinfo") instanceof TupleValue many ? many.items() : List.of(a.get("classinfo"));
    if (!bases.stream().allMatch(Builtins::isType)) {
      throw Errors.type("issubclass() arg 2 must be a class, a tuple of classes, or a union");
    }
    return Value.of(bases.stream().anyMatch(base -> isSubclass(type, base)));
  }

  private static boolean isType(Value value) {
    return value instanceof ClassValue || value instanceof TypeObject;
  }

  private static boolean isSubclass(Value type, Value base) {
    if (type instanceof ClassValue written && base instanceof ClassValue above) {
      return written.isSubclassOf(above);
    }
    if (type.equals(base) || !(base instanceof TypeObject known)) {
      return type.equals(base);
    }
    boolean bool = type instanceof TypeObject own && own.name().equals("bool");
    return known.name().equals("object") || (bool && known.name().equals("int"));
  }

  private static Value next(Bound a, Call call) {
    if (!(a.get("iterator") instanceof IteratorValue iterator)) {
      throw Errors.type("'" + Types.nameOf(a.get("iterator")) + "' object is not an iterator");
    }
    if (iterator.items().hasNext()) {
      return iterator.items().next();
    }
    return a.find("default")
        .orElseThrow(
            () ->
                iterator.items() instanceof io.ringmaster.worker.script.value.Resumable generator
                    ? GeneratorMethods.stopped(generator)
                    : new io.ringmaster.worker.script.value.PyError(
                        Exceptions.make(Exceptions.STOP_ITERATION, List.of())));
  }

  /** Python's {@code len}. */
  public static long length(Value value, Interp interp) {
    return switch (value) {
      case Value.Str text -> text.value().codePointCount(0, text.value().length());
      case ListValue list -> list.items().size();
      case TupleValue tuple -> tuple.items().size();
      case DictValue dict -> dict.size();
      case SetValue set -> set.size();
      case Value.Range range -> range.size();
      case NativeObject object -> object.length();
      case ClassValue type when type.enumMembers().isPresent() -> type.enumMembers().get().size();
      default -> {
        Optional<Value> own = Operators.special(value, "__len__");
        if (own.isEmpty()) {
          throw Errors.type("object of type '" + Types.nameOf(value) + "' has no len()");
        }
        Value result =
            interp.call(own.get(), Arguments.of(value), interp.session().budget().here());
        long length = io.ringmaster.worker.script.value.Convert.integer(result, "__len__()");
        if (length < 0) {
          throw Errors.value("__len__() should return >= 0");
        }
        yield length;
      }
    };
  }

  private static Value extreme(Bound a, Call call, int sign) {
    if (a.rest().isEmpty()) {
      throw Errors.type(a.function() + " expected at least 1 argument, got 0");
    }
    Iterator<Value> values =
        a.rest().size() == 1 ? call.interp().iterate(a.rest().getFirst()) : a.rest().iterator();
    if (!values.hasNext()) {
      return a.find("default")
          .orElseThrow(() -> Errors.value(a.function() + "() arg is an empty sequence"));
    }
    boolean keyed = a.has("key");
    Value best = values.next();
    Value bestKey = keyed ? key(a, best, call) : best;
    Origin origin = Numbers.origin(best);
    boolean several = values.hasNext();
    while (values.hasNext()) {
      Value value = values.next();
      origin = origin.and(Numbers.origin(value));
      Value candidate = keyed ? key(a, value, call) : value;
      if (Sorting.order(candidate, bestKey, call.interp()) == sign) {
        best = value;
        bestKey = candidate;
      }
    }
    Value merged = Numbers.with(best, origin);
    // The smallest of several says nothing of the others.
    return sign < 0 && several ? Numbers.reworked(merged) : merged;
  }

  private static Value key(Bound a, Value value, Call call) {
    return call.interp().call(a.get("key"), Arguments.of(value), call.span());
  }

  private static Value pow(Bound a, Call call) {
    if (!a.has("mod")) {
      return call.interp().binary(BinaryOperator.POWER, a.get("base"), a.get("exp"));
    }
    BigInteger base = Numbers.whole(a.get("base")).orElseThrow(Builtins::integersOnly);
    BigInteger exponent = Numbers.whole(a.get("exp")).orElseThrow(Builtins::integersOnly);
    BigInteger modulus = Numbers.whole(a.get("mod")).orElseThrow(Builtins::integersOnly);
    if (modulus.signum() == 0) {
      throw Errors.value("pow() 3rd argument cannot be 0");
    }
    BigInteger result = power(base, exponent, modulus.abs(), call);
    return new Value.Int(
        modulus.signum() < 0 && result.signum() > 0 ? result.add(modulus) : result);
  }

  /** Python's {@code pow(base, exponent, modulus)}; big ones bit by bit, so that it can stop. */
  private static BigInteger power(
      BigInteger base, BigInteger exponent, BigInteger modulus, Call call) {
    long bits = modulus.bitLength();
    if (bits <= 1024 && exponent.bitLength() <= 4096) {
      call.interp().session().budget().work(exponent.bitLength());
      return base.modPow(exponent, modulus);
    }
    BigInteger factor = exponent.signum() < 0 ? base.modInverse(modulus) : base.mod(modulus);
    BigInteger power = exponent.abs();
    BigInteger result = BigInteger.ONE.mod(modulus);
    for (int bit = power.bitLength() - 1; bit >= 0; bit--) {
      call.interp().session().budget().work(bits * bits / 65536 + 1);
      result = result.multiply(result).mod(modulus);
      if (power.testBit(bit)) {
        result = result.multiply(factor).mod(modulus);
      }
    }
    return result;
  }

  private static RuntimeException integersOnly() {
    return Errors.type("pow() 3rd argument not allowed unless all arguments are integers");
  }

  private static Value print(Bound a, Call call) {
    Interp interp = call.interp();
    StringBuilder out = new StringBuilder();
    String separator = a.string("sep", " ");
    for (int i = 0; i < a.rest().size(); i++) {
      out.append(i > 0 ? separator : "").append(interp.str(a.rest().get(i)));
      interp.session().budget().room(out.length());
    }
    out.append(a.string("end", "\n"));
    interp.session().budget().work(out.length() / 64);
    Optional<Value> file =
        a.has("file") ? Optional.of(a.get("file")) : Redirects.of(interp.session()).target();
    // What a script has written itself is asked to write, and so are the streams of sys.
    if (file.isPresent()
        && (file.get() instanceof InstanceValue || file.get() instanceof NativeObject)) {
      Value write = Attributes.get(file.get(), "write", interp, call.span());
      interp.call(write, Arguments.of(Value.of(out.toString())), call.span());
    } else {
      interp.session().log().write(out.toString());
    }
    return Value.NONE;
  }

  private static Value round(Bound a, Call call) {
    Value number = a.get("number");
    Optional<BigInteger> whole = Numbers.whole(number);
    boolean plain = !a.has("ndigits");
    if (whole.isPresent()) {
      return plain || a.integer("ndigits") >= 0
          ? new Value.Int(whole.get(), Numbers.origin(number))
          : new Value.Int(
              roundedWhole(whole.get(), a.integer("ndigits")), Numbers.origin(number).reworked());
    }
    double value = a.number("number");
    if (plain) {
      return new Value.Int(
          TypeObjects.truncated(Math.rint(value)), Numbers.origin(number).reworked());
    }
    return new Value.Float(
        FormatSpec.rounded(value, a.integer("ndigits")).orElse(value),
        Numbers.origin(number).reworked());
  }

  private static BigInteger roundedWhole(BigInteger value, long digits) {
    if (digits < -20_000) {
      return BigInteger.ZERO;
    }
    return new java.math.BigDecimal(value)
        .setScale((int) digits, java.math.RoundingMode.HALF_EVEN)
        .toBigInteger();
  }

  private static Value sorted(Bound a, Call call) {
    List<Value> items = Iteration.toList(a.get("iterable"), call.interp());
    return new ListValue(
        Sorting.sorted(items, a.find("key"), a.flag("reverse", false), call.interp(), call.span()));
  }

  private static Value sum(Bound a, Call call) {
    Value total = a.find("start").orElse(Value.of(0));
    if (total instanceof Value.Str) {
      throw Errors.type("sum() can't sum strings [use ''.join(seq) instead]");
    }
    Iterator<Value> items = call.interp().iterate(a.get("iterable"));
    while (items.hasNext()) {
      total = call.interp().binary(BinaryOperator.ADD, total, items.next());
    }
    return total;
  }
}
