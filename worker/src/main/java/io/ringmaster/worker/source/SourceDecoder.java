package io.ringmaster.worker.source;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Turns the bytes of an uploaded file into source text. The text must be UTF-8; a byte-order mark
 * and the line ends of any system are accepted.
 */
public final class SourceDecoder {

  private static final Pattern DECLARED_ENCODING =
      Pattern.compile("^[ \\t\\f]*#.*?coding[:=][ \\t]*([-\\w.]+)");
  private static final Set<String> UTF_8_NAMES = Set.of("utf-8", "utf8", "utf-8-sig", "u8");
  private static final Set<String> ASCII_NAMES = Set.of("ascii", "us-ascii");

  private SourceDecoder() {}

  /**
   * The text of a file within {@link ParserLimits#DEFAULT}.
   *
   * @throws DiagnosticException if it isn't UTF-8 text, or longer than the limit
   */
  public static SourceFile decode(String name, byte[] bytes) {
    return decode(name, bytes, ParserLimits.DEFAULT);
  }

  /**
   * The text of a file.
   *
   * @throws DiagnosticException if it isn't UTF-8 text, or longer than the limit
   */
  public static SourceFile decode(String name, byte[] bytes, ParserLimits limits) {
    refuseOtherMarks(name, bytes);
    // A character takes four bytes at most, so more than this can't be within the limit.
    if (bytes.length / 4 > limits.sourceLength()) {
      throw refused(
          "the file has "
              + bytes.length
              + " bytes; the limit is "
              + limits.sourceLength()
              + " characters",
          "load data from files instead of writing it into the source",
          new Span(name, 1, 1, 1, 1));
    }
    var out = CharBuffer.allocate(bytes.length);
    var in = ByteBuffer.wrap(bytes);
    var decoder =
        StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPORT)
            .onUnmappableCharacter(CodingErrorAction.REPORT);
    CoderResult result = decoder.decode(in, out, true);
    String text = out.flip().toString();
    if (result.isError()) {
      int offset = in.position();
      throw refused(
          String.format(
              "the file is not UTF-8 text: byte 0x%02X at offset %d", bytes[offset], offset),
          "save it as UTF-8",
          end(name, text));
    }
    SourceFile source = SourceFile.of(name, text);
    refuseNulls(source);
    refuseOtherEncodings(source);
    return source;
  }

  /** UTF-16 and UTF-32 files say at once what they are. */
  private static void refuseOtherMarks(String name, byte[] bytes) {
    if (bytes.length >= 2) {
      int mark = ((bytes[0] & 0xFF) << 8) | (bytes[1] & 0xFF);
      if (mark == 0xFEFF || mark == 0xFFFE) {
        throw refused(
            String.format(
                "the file is not UTF-8 text: byte 0x%02X at offset 0 starts UTF-16 text", bytes[0]),
            "save it as UTF-8",
            new Span(name, 1, 1, 1, 1));
      }
    }
  }

  private static void refuseNulls(SourceFile source) {
    int at = source.text().indexOf('\0');
    if (at >= 0) {
      throw refused(
          "the source holds a null byte",
          "is this a text file at all?",
          new Positions(source).span(at, at + 1));
    }
  }

  /** A comment in the first two lines may name an encoding; only this one is read. */
  private static void refuseOtherEncodings(SourceFile source) {
    for (int line = 1; line <= 2; line++) {
      String text = source.line(line);
      Matcher declared = DECLARED_ENCODING.matcher(text);
      if (declared.find()) {
        String encoding = declared.group(1).toLowerCase(Locale.ROOT).replace('_', '-');
        boolean ascii =
            ASCII_NAMES.contains(encoding) && source.text().chars().allMatch(c -> c < 128);
        if (!UTF_8_NAMES.contains(encoding) && !ascii) {
          int start = text.codePointCount(0, declared.start(1)) + 1;
          throw refused(
              "the source declares the encoding '" + declared.group(1) + "'; only UTF-8 is read",
              "save it as UTF-8 and drop the declaration",
              new Span(source.name(), line, start, line, start + declared.group(1).length()));
        }
        return;
      }
      String bare = text.strip();
      if (!bare.isEmpty() && !bare.startsWith("#")) {
        return;
      }
    }
  }

  private static Span end(String name, String text) {
    SourceFile before = SourceFile.of(name, text);
    int length = before.text().length();
    return new Positions(before).span(length, length);
  }

  private static DiagnosticException refused(String message, String hint, Span span) {
    return new DiagnosticException(Diagnostic.error(message, hint, span));
  }
}
