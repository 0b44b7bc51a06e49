package io.ringmaster.service.submissions;

import io.ringmaster.service.problems.ProblemCode;
import io.ringmaster.service.problems.ProblemException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Decodes UTF-8, and says where it is none. */
final class Utf8 {

  private Utf8() {}

  /**
   * The text of these bytes.
   *
   * @param what for the message: "The script"
   * @throws ProblemException NOT_UTF8 with the offset of the first byte that fits nowhere
   */
  static String decode(byte[] bytes, String what) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      int offset = firstFault(bytes);
      var problem =
          new ProblemException(
                  ProblemCode.NOT_UTF8,
                  "%s is not UTF-8: byte 0x%02X at offset %d. Save it as UTF-8."
                      .formatted(what, bytes[offset], offset))
              .withByteOffset(offset);
      problem.initCause(e);
      throw problem;
    }
  }

  private static int firstFault(byte[] bytes) {
    var in = ByteBuffer.wrap(bytes);
    var decoder = StandardCharsets.UTF_8.newDecoder();
    var out = CharBuffer.allocate(8192);
    while (decoder.decode(in, out, true).isOverflow()) {
      out.clear();
    }
    return in.position();
  }
}
