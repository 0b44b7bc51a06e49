package io.ringmaster.service.problems;

/**
 * A quota that is in a submission's way.
 *
 * @param name as the setting has it, such as {@code queued-jobs}
 * @param owner whose it is
 * @param limit the most that this owner may have
 * @param current what there is already, without what is asked for
 */
public record QuotaFault(String name, String owner, int limit, long current) {}
