// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.boot;

import io.github.lookupffn.ModelEmbedder;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Tells meters, where there are any, how long the calls of the embedders took. */
final class CallTimes {
  private final List<Sink> sinks = new CopyOnWriteArrayList<>();

  /** A registry's meters. */
  interface Sink {
    void ended(String embedder, Duration waited, Duration ran);
  }

  void addSink(Sink sink) {
    sinks.add(sink);
  }

  /** What the embedder that is this bean tells. */
  ModelEmbedder.Listener listenerOf(String embedder) {
    return (waited, ran, failure) -> sinks.forEach(sink -> sink.ended(embedder, waited, ran));
  }
}
