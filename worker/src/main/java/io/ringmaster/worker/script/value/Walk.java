package io.ringmaster.worker.script.value;

import java.util.Collection;
import java.util.ConcurrentModificationException;
import java.util.Iterator;

/** Goes through a container whose elements' own methods may change it meanwhile. */
record Walk<T>(Collection<T> items, String kind) implements Iterable<T> {

  @Override
  public Iterator<T> iterator() {
    Iterator<T> all = items.iterator();
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return all.hasNext();
      }

      @Override
      public T next() {
        try {
          return all.next();
        } catch (ConcurrentModificationException changed) {
          throw Errors.changedSize(kind);
        }
      }
    };
  }
}
