package io.ringmaster.worker.source;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.Charset;
import org.junit.jupiter.api.Test;

class SourceDecoderTest {

  @Test
  void aMarkAndTheLineEndsOfOtherSystemsAreNormalised() {
    assertThat(SourceDecoder.decode("k.py", "\uFEFFa\r\nb\rc\n".getBytes(UTF_8)))
        .isEqualTo(new SourceFile("k.py", "a\nb\nc\n"));
  }

  @Test
  void aByteThatIsNoTextIsNamedWithItsPlace() {
    assertRefused("a = 1\r\nb = 'é'\n", ISO_8859_1)
        .hasMessage("the file is not UTF-8 text: byte 0xE9 at offset 12")
        .extracting(SourceDecoderTest::span)
        .isEqualTo(new Span("k.py", 2, 6, 2, 6));
  }

  @Test
  void aTruncatedCharacterIsNoText() {
    assertThatThrownBy(() -> SourceDecoder.decode("k.py", new byte[] {'a', (byte) 0xC3}))
        .hasMessage("the file is not UTF-8 text: byte 0xC3 at offset 1");
  }

  @Test
  void otherUnicodeFilesAreNamed() {
    assertRefused("a = 1\n", UTF_16)
        .hasMessage("the file is not UTF-8 text: byte 0xFE at offset 0 starts UTF-16 text");
  }

  @Test
  void aNullByteIsRefused() {
    assertRefused("a\nb\0", UTF_8)
        .hasMessage("the source holds a null byte")
        .extracting(SourceDecoderTest::span)
        .isEqualTo(new Span("k.py", 2, 2, 2, 3));
  }

  @Test
  void anotherDeclaredEncodingIsRefused() {
    assertRefused("#!/usr/bin/python\n# -*- coding: latin-1 -*-\n", UTF_8)
        .hasMessage("the source declares the encoding 'latin-1'; only UTF-8 is read");
    assertThat(SourceDecoder.decode("k.py", "# coding=utf_8\n".getBytes(UTF_8)).text())
        .startsWith("#");
  }

  @Test
  void aFileBeyondTheLimitIsRefusedBeforeItIsDecoded() {
    var limits = new ParserLimits(2, 1, 1, 1, 1, 1, 1);

    assertThatThrownBy(() -> SourceDecoder.decode("k.py", new byte[12], limits))
        .hasMessage("the file has 12 bytes; the limit is 2 characters");
  }

  private static org.assertj.core.api.AbstractThrowableAssert<?, ? extends Throwable> assertRefused(
      String text, Charset charset) {
    return assertThatThrownBy(() -> SourceDecoder.decode("k.py", text.getBytes(charset)))
        .isInstanceOf(DiagnosticException.class);
  }

  private static Span span(Throwable refused) {
    return ((DiagnosticException) refused).diagnostics().getFirst().span();
  }
}
