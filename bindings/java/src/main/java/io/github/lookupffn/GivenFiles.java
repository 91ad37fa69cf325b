// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

/** The files of a folder that the caller has, as the native library takes them: in memory, or read by channels. */
final class GivenFiles {
  // In the order of the map: UTF-8 with a closing zero; byte[] or ChannelFile; -1 for what lies in memory.
  final Object[] names;
  final Object[] contents;
  final long[] sizes;

  private GivenFiles(Map<String, ?> files, String name) {
    int count = Objects.requireNonNull(files, name).size();
    names = new Object[count];
    contents = new Object[count];
    sizes = new long[count];
    int i = 0;
    for (Map.Entry<String, ?> file : files.entrySet()) {
      String key = Objects.requireNonNull(file.getKey(), "a name of files");
      names[i] = Utf8.zeroTerminated(key, "a file's name");
      contents[i++] = Objects.requireNonNull(file.getValue(), key);
    }
  }

  static GivenFiles inMemory(Map<String, byte[]> files) {
    GivenFiles given = new GivenFiles(files, "files");
    Arrays.fill(given.sizes, -1);
    return given;
  }

  static GivenFiles byChannels(Map<String, ? extends SeekableByteChannel> channels) {
    GivenFiles given = new GivenFiles(channels, "channels");
    for (int i = 0; i < given.names.length; i++) {
      byte[] name = (byte[]) given.names[i];
      String text = Utf8.text(Arrays.copyOf(name, name.length - 1));
      ChannelFile file = new ChannelFile(text, (SeekableByteChannel) given.contents[i]);
      given.contents[i] = file;
      given.sizes[i] = file.size();
    }
    return given;
  }

  /** Makes the call. If a channel threw, throws that, which says more than the call's own failure. */
  <T> T with(Supplier<T> call) {
    try {
      return call.get();
    } catch (LookupFfnException failure) {
      for (Object file : contents) {
        if (file instanceof ChannelFile) {
          ((ChannelFile) file).check();
        }
      }
      throw failure;
    }
  }

  /** A file that the native library reads by a channel, and keeps what the channel throws. */
  static final class ChannelFile {
    private final String name;
    private final SeekableByteChannel channel;
    private Throwable failure;

    ChannelFile(String name, SeekableByteChannel channel) {
      this.name = name;
      this.channel = channel;
    }

    /** Called by the native library, in the thread that loads. */
    static boolean read(Object file, long first, ByteBuffer to) {
      return ((ChannelFile) file).read(first, to);
    }

    private boolean read(long first, ByteBuffer to) {
      try {
        channel.position(first);
        while (to.hasRemaining()) {
          if (channel.read(to) < 0) {
            throw new EOFException("it ends at byte " + (first + to.position()));
          }
        }
        return true;
      } catch (Throwable thrown) {
        failure = failure == null ? thrown : failure;
        return false;
      }
    }

    long size() {
      try {
        return channel.size();
      } catch (IOException thrown) {
        throw unreadable(thrown);
      }
    }

    void check() {
      if (failure instanceof IOException) {
        throw unreadable((IOException) failure);
      }
      if (failure instanceof Error) {
        throw (Error) failure;
      }
      if (failure != null) {
        throw (RuntimeException) failure;
      }
    }

    private ModelIoException unreadable(IOException thrown) {
      return new ModelIoException("cannot read " + name + ": " + thrown.getMessage(), thrown);
    }
  }
}
