// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file that is opened when its first byte is read: a model needs only some of a folder's files. */
final class LazyFile implements SeekableByteChannel {
  private final Path path;
  private final long size;
  private SeekableByteChannel opened;
  private long position;

  LazyFile(Path path) throws IOException {
    this.path = path;
    size = Files.size(path);
  }

  @Override
  public int read(ByteBuffer to) throws IOException {
    if (opened == null) {
      opened = Files.newByteChannel(path);
    }
    opened.position(position);
    int count = opened.read(to);
    position = opened.position();
    return count;
  }

  @Override
  public long position() {
    return position;
  }

  @Override
  public SeekableByteChannel position(long newPosition) {
    position = newPosition;
    return this;
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public int write(ByteBuffer from) {
    throw new NonWritableChannelException();
  }

  @Override
  public SeekableByteChannel truncate(long newSize) {
    throw new NonWritableChannelException();
  }

  @Override
  public boolean isOpen() {
    return true;
  }

  @Override
  public void close() throws IOException {
    if (opened != null) {
      opened.close();
    }
  }
}
