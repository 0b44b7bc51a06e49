package io.ringmaster.worker.lowering;

import java.util.List;

/** The passes in the order in which they run. */
public final class Passes {

  /** Everything between the front end and code generation. */
  public static final List<Pass> ALL =
      List.of(
          new Simplify(),
          new ConvertTensorToTileOps(),
          new LowerCompositeOps(),
          new CheckVecCapacity(),
          new SynthesizeAllReduceSignals(),
          new MaterializeCommDomainScopes(),
          new LowerHostTensorCollectives());

  private Passes() {}
}
