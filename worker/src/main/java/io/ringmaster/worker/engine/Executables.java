package io.ringmaster.worker.engine;

import io.ringmaster.worker.codegen.Executable;
import io.ringmaster.worker.ir.Program;
import java.lang.ref.SoftReference;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * The programs that were compiled last, for the next run of the same one. May be shared between
 * threads, as what it keeps may.
 */
public final class Executables {

  private static final int MOST = 32;

  /** The one that was used last comes first; where memory is short, they go. */
  private final Deque<SoftReference<Executable>> kept = new ArrayDeque<>();

  /** The program, compiled now or before; programs are the same only as one object. */
  Executable of(Program program) {
    Executable known = find(program);
    if (known != null) {
      return known;
    }
    Executable fresh = Executable.of(program);
    synchronized (kept) {
      kept.addFirst(new SoftReference<>(fresh));
      if (kept.size() > MOST) {
        kept.removeLast();
      }
    }
    return fresh;
  }

  @SuppressWarnings("ReferenceEquality") // A program is one object while it is run again and again.
  private @Nullable Executable find(Program program) {
    synchronized (kept) {
      for (Iterator<SoftReference<Executable>> all = kept.iterator(); all.hasNext(); ) {
        SoftReference<Executable> reference = all.next();
        Executable one = reference.get();
        if (one == null) {
          all.remove();
        } else if (one.program() == program) {
          all.remove();
          kept.addFirst(reference);
          return one;
        }
      }
      return null;
    }
  }
}
