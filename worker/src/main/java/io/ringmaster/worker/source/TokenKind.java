package io.ringmaster.worker.source;

/** What a token is. The text of strings and f-string pieces is the decoded value. */
enum TokenKind {
  NAME,
  KEYWORD,
  INT,
  FLOAT,
  STRING,
  BYTES,
  FSTRING_START,
  FSTRING_TEXT,
  FSTRING_END,
  /** The brace that opens a replacement field of an f-string. */
  FIELD_OPEN,
  FIELD_CLOSE,
  /** The colon before a format specification. */
  FIELD_SPEC,
  OPERATOR,
  NEWLINE,
  INDENT,
  DEDENT,
  END
}
