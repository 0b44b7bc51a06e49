package io.ringmaster.worker.script.torch;

import io.ringmaster.worker.golden.Elements;
import io.ringmaster.worker.golden.NeverWritten;
import io.ringmaster.worker.golden.Shapes;
import io.ringmaster.worker.golden.StridedLoop;
import io.ringmaster.worker.golden.TensorComparison;
import io.ringmaster.worker.script.builtin.SourceText;
import io.ringmaster.worker.script.check.Alteration;
import io.ringmaster.worker.script.check.Claim;
import io.ringmaster.worker.script.check.Facts;
import io.ringmaster.worker.script.check.Golden;
import io.ringmaster.worker.script.check.KernelInputs;
import io.ringmaster.worker.script.check.Origin;
import io.ringmaster.worker.script.check.Output;
import io.ringmaster.worker.script.check.Reads;
import io.ringmaster.worker.script.check.TensorFacts;
import io.ringmaster.worker.script.check.TensorPair;
import io.ringmaster.worker.script.value.Errors;
import io.ringmaster.worker.script.value.Interp;
import io.ringmaster.worker.script.value.NativeObject;
import io.ringmaster.worker.script.value.TupleValue;
import io.ringmaster.worker.script.value.Value;
import io.ringmaster.worker.source.Expr.BinaryOperator;
import io.ringmaster.worker.source.Expr.CompareOperator;
import io.ringmaster.worker.source.Expr.UnaryOperator;
import io.ringmaster.worker.source.Span;
import io.ringmaster.worker.tensor.ByteRanges;
import io.ringmaster.worker.tensor.DType;
import io.ringmaster.worker.tensor.HostTensor;
import io.ringmaster.worker.tensor.Stretches;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.LongStream;

/** A torch tensor of the script: a view of host memory, and what is known about its content. */
public final class TensorValue implements NativeObject {

  private HostTensor data;
  private final Storage storage;
  private final Lineage lineage;

  /** Where the extents stem from, when data decided how many elements there are. */
  private final Origin extents;

  TensorValue(HostTensor data, Storage storage) {
    this(data, storage, Lineage.NONE, Origin.NONE);
  }

  private TensorValue(HostTensor data, Storage storage, Lineage lineage, Origin extents) {
    this.data = data;
    this.storage = storage;
    this.lineage = lineage;
    this.extents = extents;
  }

  public HostTensor data() {
    return data;
  }

  public Storage storage() {
    return storage;
  }

  Lineage lineage() {
    return lineage;
  }

  /** Another view of the same memory. */
  TensorValue view(HostTensor other) {
    return new TensorValue(other, storage, Lineage.NONE, extents);
  }

  TensorValue with(Lineage other) {
    return new TensorValue(data, storage, other, extents);
  }

  /** The same, with the number of elements decided by data of that origin, as by a mask. */
  TensorValue sized(Origin by) {
    return new TensorValue(data, storage, lineage, extents.and(by.withoutPair()));
  }

  /** The object itself looks at its memory in another way: {@code t.squeeze_()}. */
  TensorValue become(HostTensor other) {
    data = other;
    return this;
  }

  /** {@code t.shape}. */
  TupleValue size() {
    List<Value> sizes = new ArrayList<>();
    for (long extent : data.shape()) {
      sizes.add(counted(extent));
    }
    return new TupleValue(sizes, "torch.Size", List.of());
  }

  /** A number of elements; comparing it is a check when data decided it. */
  Value counted(long number) {
    return new Value.Int(java.math.BigInteger.valueOf(number), extents);
  }

  /** Where the content stems from: what was mixed in, and what kernels promised to write here. */
  Origin origin() {
    Origin origin = storage.content();
    if (isOutput(data.buffer().promised()) || isOutput(data.buffer().written())) {
      Reads reads = readsHere();
      origin =
          origin.under(
              NeverWritten.in(data)
                  .map(missing -> lacking(missing, reads))
                  .orElseGet(() -> Origin.kernel(reads)));
    }
    Optional<Alteration> altered = storage.altered(() -> Stretches.of(data));
    return (altered.isPresent() ? origin.altered(altered) : origin).of(lineage.pair());
  }

  /** Which outputs went into it. */
  public Reads reads() {
    return storage.content().reads().and(readsHere());
  }

  private Reads readsHere() {
    return storage.hasOutputs() ? storage.reads(Stretches.of(data)) : Reads.NONE;
  }

  /** Tells the memory that a launch is about to write this view. */
  public void writtenBy(Output output) {
    if (coversItsBuffer()) {
      storage.isNew();
    }
    long[] stretches = Stretches.of(data);
    for (int i = 0; i < stretches.length; i += 2) {
      storage.writtenBy(output, stretches[i], stretches[i + 1]);
    }
  }

  /**
   * An output of which no kernel wrote anything, or which still holds what an earlier run wrote,
   * proves nothing. A part that is meant to stay as the host made it may be compared, but it says
   * nothing of the kernel.
   */
  private Origin lacking(NeverWritten missing, Reads reads) {
    boolean proves = !missing.stale() && !data.buffer().written().isEmpty();
    return new Origin(
        !proves || missing.elements() < data.elements(),
        true,
        proves ? "" : missing.sentence(),
        proves ? missing.sentence() : "",
        proves && missing.prefilled(),
        Optional.empty(),
        Optional.empty(),
        reads,
        Optional.empty(),
        false);
  }

  /**
   * True when every element is as a kernel wrote it, or a copy of that, and the script has changed
   * none nearby.
   */
  boolean isAsWritten() {
    return data.elements() > 0
        && !storage.isPatched()
        && (storage.isExact() || data.buffer().written().containsAll(firstByte(), lastByte()));
  }

  private boolean isOutput(ByteRanges bytes) {
    return !bytes.isEmpty() && bytes.intersects(firstByte(), lastByte());
  }

  private long firstByte() {
    long low = data.offset();
    for (int axis = 0; axis < data.rank(); axis++) {
      low += Math.min(0, (data.shape()[axis] - 1) * data.strides()[axis]);
    }
    return low * data.dtype().bytes();
  }

  private long lastByte() {
    long high = data.offset();
    for (int axis = 0; axis < data.rank(); axis++) {
      high += Math.max(0, (data.shape()[axis] - 1) * data.strides()[axis]);
    }
    return data.elements() == 0 ? firstByte() : (high + 1) * data.dtype().bytes();
  }

  /** True when it is all there is in its memory. */
  public boolean coversItsBuffer() {
    return data.isContiguous()
        && data.elements() * data.dtype().bytes() == data.buffer().byteSize();
  }

  /**
   * Tells the storage that the script is about to write into this view.
   *
   * @param with what the new values stem from
   * @param change what becomes of a kernel's values that lie here; asked for only when some do
   */
  void overwrite(Origin with, Supplier<Change> change) {
    boolean all = coversItsBuffer();
    boolean kernels = storage.hasOutputs();
    long[] stretches = kernels ? Stretches.of(data) : new long[] {firstByte(), lastByte()};
    if (kernels) {
      storage.changed(stretches, change);
    }
    storage.overwritten(stretches, all, data.isContiguous() || isAll(stretches));
    storage.mix(with);
  }

  /** True for stretches with nothing between that this view leaves out. */
  private boolean isAll(long[] stretches) {
    long size = 0;
    for (int i = 0; i < stretches.length; i += 2) {
      size += stretches[i + 1] - stretches[i];
    }
    return size == data.elements() * data.dtype().bytes();
  }

  /** Ranks of the program that wrote what is here; 1 when none did. */
  int ranks() {
    return readsHere().outputs().stream().mapToInt(Output::ranks).max().orElse(1);
  }

  /** The single element as a Python number. */
  Value item(Interp interp) {
    if (data.elements() != 1) {
      throw Errors.runtime(
          "a Tensor with " + data.elements() + " elements cannot be converted to Scalar");
    }
    isTakenOut(interp);
    return data.dtype() == DType.BOOL ? truthValue(interp) : element(data.offset(), origin());
  }

  /** What comes out of it may come back as something that no kernel is known to have written. */
  void isTakenOut(Interp interp) {
    if (origin().fromKernel()) {
      interp.session().checks().takenOut();
    }
  }

  Value element(long index, Origin origin) {
    Elements elements = Elements.of(data.buffer(), data.dtype());
    if (data.dtype().isFloat()) {
      return new Value.Float(elements.getDouble(index), origin);
    }
    if (data.dtype() == DType.BOOL) {
      return Value.of(elements.getLong(index) != 0);
    }
    return new Value.Int(java.math.BigInteger.valueOf(elements.getLong(index)), origin);
  }

  @Override
  public String typeName() {
    return "Tensor";
  }

  @Override
  public Optional<Value> attribute(String name) {
    return TensorMethods.attribute(this, name);
  }

  @Override
  public Collection<String> attributeNames() {
    return TensorMethods.names();
  }

  @Override
  public Optional<Value> binary(
      BinaryOperator operator, Value other, boolean reflected, Interp interp) {
    return Arithmetic.operator(operator, this, other, reflected, interp);
  }

  @Override
  public Optional<Value> inPlace(BinaryOperator operator, Value other, Interp interp) {
    Optional<Operand> operand = Operand.find(other);
    return operand.map(right -> Arithmetic.inPlace(operator, this, right, interp));
  }

  @Override
  public Optional<Value> compare(CompareOperator operator, Value other, Interp interp) {
    return Operand.find(other)
        .map(right -> Arithmetic.compare(operator, this, other, right, interp));
  }

  @Override
  public Value unary(UnaryOperator operator, Interp interp) {
    return switch (operator) {
      case NEGATE -> Arithmetic.negate(this, interp);
      case PLUS -> this;
      case INVERT -> Arithmetic.invert(this, interp);
      case NOT -> Value.of(!truth(interp));
    };
  }

  @Override
  public boolean truth(Interp interp) {
    return truthValue(interp).value();
  }

  @Override
  public Value.Bool truthValue(Interp interp) {
    if (data.elements() != 1) {
      throw Errors.runtime(
          data.elements() == 0
              ? "Boolean value of Tensor with no values is ambiguous"
              : "Boolean value of Tensor with more than one value is ambiguous");
    }
    boolean truth = Elements.of(data.buffer(), data.dtype()).getDouble(data.offset()) != 0;
    Span here = interp.session().budget().here();
    String name = SourceText.of(interp.session(), here);
    Origin origin = hidesNan() ? origin().spoiledBy("NaN is among the compared values") : origin();
    Claim claim =
        Claim.of(
            "comparison",
            name,
            here.line(),
            truth,
            origin,
            () -> facts(truth, interp.session().kernelInputs()));
    lineage
        .pair()
        .ifPresent(
            pair ->
                claim
                    .between(pair.left(), pair.right())
                    .against(Golden.of(pair))
                    .of(pair)
                    .printed(interp.session().checks().print(pair))
                    .plain(isTold(pair), /* close= */ true));
    if (!truth || lineage.isWhole()) {
      claim.closeIf(true);
    }
    interp.session().checks().notice(claim);
    if (lineage.pair().isPresent()) {
      interp.session().checks().compared(claim);
    }
    if (origin.fromKernel()) {
      interp.session().checks().glimpse(here.line());
    }
    return Value.of(truth, claim);
  }

  /** A truth of which every element of the two sides decides. */
  private boolean isTold(TensorPair pair) {
    return pair.plain() && pair.whole() && data.dtype() == DType.BOOL;
  }

  /** NaN is above no bound: {@code (difference > bound).any()} would let it pass. */
  private boolean hidesNan() {
    if (lineage.pair().isEmpty() || !(lineage.bound() > 0)) {
      return false;
    }
    TensorPair pair = lineage.pair().get();
    return Shapes.broadcasts(pair.actual().shape(), pair.expected().shape())
        && TensorComparison.allclose(
                    pair.actual(), pair.expected(), 0, lineage.bound(), lineage.equalNan())
                .nanMismatches()
            > 0;
  }

  private Facts facts(boolean truth, KernelInputs inputs) {
    Optional<TensorPair> pair =
        lineage.pair().filter(p -> Shapes.broadcasts(p.actual().shape(), p.expected().shape()));
    if (pair.isEmpty()) {
      return Facts.ofNumbers(truth, "the value is " + (truth ? "true" : "false"));
    }
    double bound = Double.isNaN(lineage.bound()) ? 0 : lineage.bound();
    if (bound > 0) {
      return TensorFacts.ofBound(
          pair.get(),
          bound,
          lineage.equalNan(),
          "some element differs by more than " + bound,
          inputs);
    }
    TensorComparison comparison =
        TensorComparison.equal(pair.get().actual(), pair.get().expected());
    return TensorFacts.of(pair.get(), comparison, null, null, inputs);
  }

  @Override
  public Value item(Value index, Interp interp) {
    return Indexing.get(this, index, interp);
  }

  @Override
  public void setItem(Value index, Value value, Interp interp) {
    Indexing.set(this, index, value, interp);
  }

  @Override
  public Iterator<Value> iterate(Interp interp) {
    if (data.rank() == 0) {
      throw Errors.type("iteration over a 0-d tensor");
    }
    return LongStream.range(0, data.shape()[0])
        .<Value>mapToObj(row -> view(data.row(row)))
        .iterator();
  }

  @Override
  public long length() {
    if (data.rank() == 0) {
      throw Errors.type("len() of a 0-d tensor");
    }
    return data.shape()[0];
  }

  @Override
  public Value lengthValue() {
    return counted(length());
  }

  @Override
  public boolean contains(Value value, Interp interp) {
    Operand wanted = Operand.require(value, "__contains__");
    Value hits = Arithmetic.compare(CompareOperator.EQ, this, value, wanted, interp);
    return Reductions.any((TensorValue) hits, interp);
  }

  @Override
  public Optional<double[]> numbers(int most) {
    if (data.elements() > most) {
      return Optional.empty();
    }
    Elements elements = Elements.of(data.buffer(), data.dtype());
    double[] numbers = new double[(int) data.elements()];
    StridedLoop.over(
        data.shape(), (position, at) -> numbers[(int) position] = elements.getDouble(at[0]), data);
    return Optional.of(numbers);
  }

  @Override
  public Optional<Long> asIndex() {
    return data.elements() == 1 && !data.dtype().isFloat()
        ? Optional.of(Elements.of(data.buffer(), data.dtype()).getLong(data.offset()))
        : Optional.empty();
  }

  @Override
  public Optional<Double> asNumber() {
    return data.elements() == 1
        ? Optional.of(Elements.of(data.buffer(), data.dtype()).getDouble(data.offset()))
        : Optional.empty();
  }

  @Override
  public Optional<Value> scalar(Interp interp) {
    return Optional.of(item(interp));
  }

  @Override
  public String repr(Interp interp) {
    long printed = TensorPrinter.printed(data);
    interp.session().budget().work(printed);
    interp.session().budget().room(printed);
    isTakenOut(interp);
    return TensorPrinter.repr(data);
  }

  @Override
  public String str(Interp interp) {
    return repr(interp);
  }
}
