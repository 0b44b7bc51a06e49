/**
 * Settings of the service, and the beans that stand for the world outside: clock, ids, data folder.
 */
@NullMarked
package io.ringmaster.service.config;

import org.jspecify.annotations.NullMarked;
