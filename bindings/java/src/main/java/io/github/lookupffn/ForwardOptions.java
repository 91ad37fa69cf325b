package io.github.lookupffn;

/** How to run a layer. Immutable and free to be shared: each {@code with} method returns a changed copy. */
public final class ForwardOptions {
  private static final ForwardOptions DEFAULTS = new ForwardOptions(0, null);

  final int flags;
  final Cancellation cancellation;

  private ForwardOptions(int flags, Cancellation cancellation) {
    this.flags = flags;
    this.cancellation = cancellation;
  }

  /**
   * The defaults: y is overwritten, the call runs to its end.
   *
   * @return the defaults
   */
  public static ForwardOptions defaults() {
    return DEFAULTS;
  }

  /**
   * Sets whether the result is added to y, which is the residual connection.
   *
   * @param on true for {@code y += layer(x)}, false for {@code y = layer(x)}
   * @return a changed copy
   */
  public ForwardOptions withAddToOutput(boolean on) {
    return new ForwardOptions(on ? flags | Abi.FORWARD_ADD : flags & ~Abi.FORWARD_ADD, cancellation);
  }

  /**
   * Lets another thread end the call.
   *
   * @param byWhom what that thread holds; null for nobody
   * @return a changed copy
   */
  public ForwardOptions withCancellation(Cancellation byWhom) {
    return new ForwardOptions(flags, byWhom);
  }
}
