/**
 * What every endpoint shares: the contract, its rules for parameters, waiting, paging, trace ids.
 */
@NullMarked
package io.ringmaster.service.web;

import org.jspecify.annotations.NullMarked;
