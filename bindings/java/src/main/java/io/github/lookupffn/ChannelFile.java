// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;

/** A file that the native library reads by a channel, and keeps what the channel throws. */
final class ChannelFile {
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
