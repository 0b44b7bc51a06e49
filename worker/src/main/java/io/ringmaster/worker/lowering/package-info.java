/**
 * Passes from IR to IR, one class a pass, and the one list that orders them ({@link
 * io.ringmaster.worker.lowering.Passes}); {@link io.ringmaster.worker.lowering.Lowering} runs them
 * and checks the IR after each.
 *
 * <p>Collectives leave this room as schedules made of notifies, waits, loads and transfers. Three
 * attributes tell the engine what the types can't:
 *
 * <ul>
 *   <li>{@code physical_tail_padding=True} on a remote load: the bytes that move are the valid ones
 *       rounded up to 32; the values are those of the valid box.
 *   <li>{@code low=}, {@code high=} on a read: a value outside is the kernel's fault and ends the
 *       run; nothing is clamped.
 *   <li>{@code stage=} on a put or get: the tile the data streams through; the region alone says
 *       what moves.
 * </ul>
 *
 * <p>One lowered program serves any number of ranks. Rules that depend on the rank count are
 * checked here when {@link io.ringmaster.worker.lowering.LoweringContext} knows it, and otherwise
 * left to the engine: the limit of ranks of a HOST built-in, rows for every rank in targets and
 * signals, and that a HOST ring's size is a multiple of the rank count.
 */
@NullMarked
package io.ringmaster.worker.lowering;

import org.jspecify.annotations.NullMarked;
