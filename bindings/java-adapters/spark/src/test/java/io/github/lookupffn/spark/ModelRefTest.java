// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.lookupffn.ModelIoException;
import io.github.lookupffn.RunOptions;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** References travel to other virtual machines, and each of these loads a model once. */
class ModelRefTest {
  private static final String PROMPTS = Path.of(System.getProperty("lookupffn.made.models"), "prompts").toString();

  @Test
  void aReferenceTravelsAndLoadsOnce() throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(new ModelRef(PROMPTS));
    }
    try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      ModelRef travelled = (ModelRef) in.readObject();
      assertEquals(new ModelRef(PROMPTS), travelled);
      assertSame(new ModelRef(PROMPTS).get(), travelled.get());
    }
    assertNotEquals(new ModelRef(PROMPTS), new ModelRef(PROMPTS, true));
    assertThrows(ModelIoException.class, () -> new ModelRef("/nowhere").get());
  }

  @Test
  void tasksShareTheProcessors() {
    RunOptions alone = ModelRef.sharing(RunOptions.defaults());
    for (int i = 0; i < 1000; i++) {
      ModelRef.begin();
    }
    assertEquals(RunOptions.defaults().withNumThreads(1), ModelRef.sharing(RunOptions.defaults()));
    for (int i = 0; i < 1000; i++) {
      ModelRef.end();
    }
    assertEquals(alone, ModelRef.sharing(RunOptions.defaults()));
  }
}
