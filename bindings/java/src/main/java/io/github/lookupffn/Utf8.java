package io.github.lookupffn;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;

/** Text as the native library wants it. */
final class Utf8 {
  private Utf8() {}

  /** Refuses halves of surrogate pairs, for which the usual conversions put question marks. */
  static byte[] of(String text) {
    try {
      ByteBuffer utf8 = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
      return Arrays.copyOf(utf8.array(), utf8.limit());
    } catch (CharacterCodingException unpaired) {
      throw new IllegalArgumentException("the text contains half of a surrogate pair", unpaired);
    }
  }

  static byte[] zeroTerminated(Path path) {
    byte[] name = path.toString().getBytes(StandardCharsets.UTF_8);
    return Arrays.copyOf(name, name.length + 1);
  }

  static byte[] zeroTerminated(String text) {
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
