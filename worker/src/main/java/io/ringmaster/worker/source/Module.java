package io.ringmaster.worker.source;

import java.util.List;

/** A whole parsed file. */
public record Module(SourceFile source, List<Stmt> body) {}
