package io.ringmaster.worker.script.torch;

/** The Gauss error function, to about double precision. */
public final class ErrorFunction {

  private static final double SERIES_UP_TO = 2.5;
  private static final double ONE_FROM = 6;

  private ErrorFunction() {}

  public static double erf(double x) {
    double size = Math.abs(x);
    if (!(size < ONE_FROM)) {
      return Double.isNaN(x) ? x : Math.signum(x);
    }
    return size <= SERIES_UP_TO ? series(x) : Math.signum(x) * (1 - fraction(size));
  }

  public static double erfc(double x) {
    if (x > SERIES_UP_TO) {
      return x > 30 ? 0 : fraction(x);
    }
    return 1 - erf(x);
  }

  /**
   * Abramowitz and Stegun 7.1.6: exp(-x²) times a sum of positive terms, so that nothing cancels.
   */
  private static double series(double x) {
    double term = x;
    double sum = x;
    for (int n = 1; Math.abs(term) > Math.abs(sum) * 0x1p-56; n++) {
      term *= 2 * x * x / (2 * n + 1);
      sum += term;
    }
    return 2 / Math.sqrt(Math.PI) * Math.exp(-x * x) * sum;
  }

  /** Abramowitz and Stegun 7.1.14, a continued fraction for the complement, from its tail. */
  private static double fraction(double x) {
    double tail = 0;
    for (int n = 80; n > 0; n--) {
      tail = n / 2.0 / (x + tail);
    }
    return Math.exp(-x * x) / Math.sqrt(Math.PI) / (x + tail);
  }
}
