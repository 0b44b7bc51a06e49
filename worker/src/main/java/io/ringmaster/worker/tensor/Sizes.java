package io.ringmaster.worker.tensor;

/** Sums and products of sizes, which never wrap: what is too large says so. */
public final class Sizes {

  private Sizes() {}

  /** A size or a number of elements above what a {@code long}, or a Java array, holds. */
  public static final class TooLarge extends ArithmeticException {

    private static final long serialVersionUID = 1L;

    private TooLarge(String message) {
      super(message);
    }
  }

  /**
   * A product.
   *
   * @throws TooLarge when it is beyond a {@code long}
   */
  public static long times(long a, long b) {
    long high = Math.multiplyHigh(a, b);
    long low = a * b;
    if (high != low >> 63) {
      throw new TooLarge(a + " times " + b);
    }
    return low;
  }

  /**
   * A sum.
   *
   * @throws TooLarge when it is beyond a {@code long}
   */
  public static long plus(long a, long b) {
    long sum = a + b;
    if (((a ^ sum) & (b ^ sum)) < 0) {
      throw new TooLarge(a + " plus " + b);
    }
    return sum;
  }

  /**
   * An amount without its sign.
   *
   * @throws TooLarge for the lowest {@code long}
   */
  public static long abs(long a) {
    return a < 0 ? plus(~a, 1) : a;
  }

  /**
   * A size of an array.
   *
   * @throws TooLarge when it is beyond an {@code int}
   */
  public static int length(long a) {
    if (a != (int) a) {
      throw new TooLarge(a + " elements");
    }
    return (int) a;
  }
}
