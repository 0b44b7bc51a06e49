package io.ringmaster.service.platforms;

/**
 * Something jobs can name as their platform.
 *
 * @param backend what executes it, as the metrics name it: simulator, opencl, ascend
 * @param simulated whether its devices exist only in a worker's memory
 * @param available whether a worker of this service offers it
 * @param maxDevices longest device list of a run
 */
public record Platform(
    String name,
    String backend,
    boolean simulated,
    boolean available,
    int maxDevices,
    String description) {}
