// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** Events of Java's flight recorder. Nothing here is loaded before {@link Recorder} has found the recorder. */
final class Events {
  private Events() {}

  /** A model was loaded. */
  @Name("io.github.lookupffn.Load")
  @Label("Model Load")
  @Category("LookupFFN")
  @Description("A model was loaded")
  static final class Load extends Event {
    @Label("Family")
    String family;

    @Label("Memory")
    @Description("What the weights take outside of the heap")
    @DataAmount
    long memory;
  }

  /** A model ran. */
  @Name("io.github.lookupffn.Call")
  @Label("Model Call")
  @Category("LookupFFN")
  @Description("A model ran texts or sequences of token ids")
  static final class Call extends Event {
    @Label("Output")
    String output;

    @Label("Sequences")
    int sequences;

    @Label("Tokens")
    @Description("How many tokens were run; 0 where the call did not count them")
    long tokens;
  }

  /** A batcher ran a batch. */
  @Name("io.github.lookupffn.Batch")
  @Label("Batch")
  @Category("LookupFFN")
  @Description("A batcher ran the texts of concurrent calls")
  @StackTrace(false)
  static final class Batch extends Event {
    @Label("Texts")
    int texts;

    @Label("Calls")
    int calls;

    @Label("Tokens")
    long tokens;

    @Label("Cut Texts")
    int cut;

    @Label("Waiting Texts")
    @Description("How many texts waited when it began")
    int waiting;
  }
}
