// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Models and tokenizers from files that channels of the caller's read. */
class ChannelsTest {
  private static final LoadOptions DEFAULTS = LoadOptions.defaults();

  private Path folder;
  private final Map<String, SeekableByteChannel> channels = new HashMap<>();

  /** A channel over bytes, which gives a few at a time and may fail. */
  private static class Bytes implements SeekableByteChannel {
    private final byte[] bytes;
    private long position;
    private boolean open = true;
    int reads;

    Bytes(byte[] bytes) {
      this.bytes = bytes;
    }

    @Override
    public int read(ByteBuffer to) throws IOException {
      reads++;
      int count = (int) Math.min(Math.min(to.remaining(), bytes.length - position), 50_000);
      to.put(bytes, (int) position, Math.max(count, 0));
      position += count;
      return count > 0 ? count : -1;
    }

    @Override
    public int write(ByteBuffer from) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long position() {
      return position;
    }

    @Override
    public SeekableByteChannel position(long to) {
      position = to;
      return this;
    }

    @Override
    public long size() throws IOException {
      if (!open) {
        throw new ClosedChannelException();
      }
      return bytes.length;
    }

    @Override
    public SeekableByteChannel truncate(long size) {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean isOpen() {
      return open;
    }

    @Override
    public void close() {
      open = false;
    }
  }

  @BeforeEach
  void openFiles() throws Exception {
    folder = GoldenModel.all().get(0).folder;
    try (Stream<Path> paths = Files.walk(folder)) {
      for (Path path : paths.filter(Files::isRegularFile).collect(Collectors.toList())) {
        channels.put(folder.relativize(path).toString(), new Bytes(Files.readAllBytes(path)));
      }
    }
  }

  private byte[] weights() throws IOException {
    return Files.readAllBytes(folder.resolve("model.safetensors"));
  }

  @Test
  void channelsAreTheFolder() throws Exception {
    try (Model model = Model.load(folder); Model read = Model.loadFrom(channels, DEFAULTS)) {
      Golden.assertSameBits(model.embed("a text"), read.embed("a text"));
      assertEquals(model.info(), read.info());
      assertEquals(Model.estimate(folder, DEFAULTS), Model.estimateFrom(channels, DEFAULTS));
    }
    try (Tokenizer tokenizer = Tokenizer.load(folder); Tokenizer read = Tokenizer.loadFrom(channels, DEFAULTS)) {
      assertEquals(tokenizer.info(), read.info());
    }
    assertTrue(channels.values().stream().allMatch(SeekableByteChannel::isOpen));
    assertTrue(((Bytes) channels.get("model.safetensors")).reads > 1);
    try (SeekableByteChannel file = Files.newByteChannel(folder.resolve("model.safetensors"))) {
      channels.put("model.safetensors", file);
      Model.loadFrom(channels, DEFAULTS).close();
    }
  }

  @Test
  void channelsThatFailSaySo() throws Exception {
    long handles = Raw.liveHandles();
    IOException mine = new IOException("mine");
    channels.put("model.safetensors", new Bytes(weights()) {
      @Override
      public int read(ByteBuffer to) throws IOException {
        throw mine;
      }
    });
    ModelIoException failure = assertThrows(ModelIoException.class, () -> Model.loadFrom(channels, DEFAULTS));
    assertSame(mine, failure.getCause());
    assertEquals("cannot read model.safetensors: mine", failure.getMessage());
    assertThrows(ModelIoException.class, () -> Model.estimateFrom(channels, DEFAULTS));
    IllegalStateException unchecked = new IllegalStateException("mine");
    channels.put("model.safetensors", new Bytes(weights()) {
      @Override
      public SeekableByteChannel position(long to) {
        throw unchecked;
      }
    });
    assertSame(unchecked, assertThrows(IllegalStateException.class, () -> Model.loadFrom(channels, DEFAULTS)));
    int size = weights().length;
    channels.put("model.safetensors", new Bytes(java.util.Arrays.copyOf(weights(), size - 1)) {
      @Override
      public long size() {
        return size;
      }
    });
    failure = assertThrows(ModelIoException.class, () -> Model.loadFrom(channels, DEFAULTS));
    assertTrue(failure.getCause() instanceof EOFException, failure.toString());
    channels.get("config.json").close();
    failure = assertThrows(ModelIoException.class, () -> Model.loadFrom(channels, DEFAULTS));
    assertTrue(failure.getMessage().startsWith("cannot read config.json"), failure.toString());
    channels.put("config.json", null);
    assertThrows(NullPointerException.class, () -> Tokenizer.loadFrom(channels, DEFAULTS));
    assertEquals(handles, Raw.liveHandles());
  }

  /** Objects may move while native code holds the channels. */
  @Test
  void channelsMayCollect() throws Exception {
    channels.put("model.safetensors", new Bytes(weights()) {
      @Override
      public int read(ByteBuffer to) throws IOException {
        if (reads < 5) {
          System.gc();
        }
        return super.read(to);
      }
    });
    try (Model model = Model.load(folder); Model read = Model.loadFrom(channels, DEFAULTS)) {
      Golden.assertSameBits(model.embed("a text"), read.embed("a text"));
    }
  }
}
