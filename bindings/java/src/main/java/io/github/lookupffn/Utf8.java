// SPDX-License-Identifier: Apache-2.0
package io.github.lookupffn;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;

/** Text as the native library wants it. */
final class Utf8 {
  private Utf8() {}

  /** Throws an exception that names the text if it is bad. */
  static byte[] of(String text, String what) {
    return of(text, what, false);
  }

  /**
   * If {@code repaired}, halves of surrogate pairs become replacement characters, which take as many bytes as the
   * halves.
   */
  static byte[] of(String text, String what, boolean repaired) {
    try {
      byte[] utf8 = new byte[Math.toIntExact(size(text, repaired))];
      put(text, utf8, 0, repaired);
      return utf8;
    } catch (IllegalArgumentException bad) {
      throw new IllegalArgumentException(what + ": " + bad.getMessage());
    }
  }

  static byte[] of(String text) {
    byte[] utf8 = new byte[Math.toIntExact(size(text))];
    put(text, utf8, 0, false);
    return utf8;
  }

  /** Refuses halves of surrogate pairs, which the usual conversions replace by question marks. */
  static long size(String text) {
    return size(text, false);
  }

  /**
   * If halves of surrogate pairs are allowed, they become bytes that are not UTF-8, so that native code reports them.
   */
  static long size(String text, boolean halvesAllowed) {
    long size = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (!Character.isSurrogate(c)) {
        size += c < 0x80 ? 1 : c < 0x800 ? 2 : 3;
      } else if (i + 1 < text.length() && Character.isSurrogatePair(c, text.charAt(i + 1))) {
        size += 4;
        i++;
      } else if (halvesAllowed) {
        size += 3;
      } else {
        throw new IllegalArgumentException("the text contains half of a surrogate pair");
      }
    }
    return size;
  }

  /** Writes a text whose size was asked before, without a copy in between. */
  static void put(String text, byte[] to, int from, boolean repaired) {
    int at = from;
    for (int i = 0; i < text.length(); i++) {
      int c = text.codePointAt(i);
      if (c < 0x80) {
        to[at++] = (byte) c;
        continue;
      }
      if (c >= 0x10000) {
        i++;
      } else if (repaired && Character.isSurrogate((char) c)) {
        c = 0xfffd;
      }
      int length = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
      for (int k = length - 1; k > 0; k--) {
        to[at + k] = (byte) (0x80 | c & 0x3f);
        c >>= 6;
      }
      to[at] = (byte) (0xf00 >> length | c);
      at += length;
    }
  }

  static byte[] zeroTerminated(Path path) {
    byte[] name = path.toString().getBytes(StandardCharsets.UTF_8);
    return Arrays.copyOf(name, name.length + 1);
  }

  static byte[] zeroTerminated(String text, String what) {
    if (text.indexOf('\0') >= 0) {
      throw new IllegalArgumentException(what + " contains a zero character");
    }
    byte[] utf8 = of(text);
    return Arrays.copyOf(utf8, utf8.length + 1);
  }

  static String text(byte[] utf8) {
    return new String(utf8, StandardCharsets.UTF_8);
  }

  /**
   * Turns ascending places in bytes into places in chars. A place inside of a character, as tokens of single bytes have
   * it, becomes that of the character's first char, or with {@code up} the one behind its last.
   */
  static int[] charsOf(byte[] utf8, long[] places, boolean up) {
    int[] chars = new int[places.length];
    int at = 0;
    int chr = 0;
    for (int i = 0; i < places.length; i++) {
      // Spans follow each other, but a special token may lie anywhere.
      if (places[i] < at) {
        at = 0;
        chr = 0;
      }
      while (at < places[i]) {
        int next = at + lengthOf(utf8[at]);
        if (next > places[i] && !up) {
          break;
        }
        chr += lengthOf(utf8[at]) == 4 ? 2 : 1;
        at = next;
      }
      chars[i] = chr;
    }
    return chars;
  }

  private static int lengthOf(byte first) {
    int bits = first & 0xff;
    return bits < 0x80 ? 1 : bits < 0xe0 ? 2 : bits < 0xf0 ? 3 : 4;
  }
}
