// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.docs;

import io.lockstarter.LockNotAcquiredException;

import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/**
 * An example of docs/troubleshooting.md.
 */
@RestControllerAdvice
@Order(-1)
class LockedAdvice {

	@ExceptionHandler
	ProblemDetail locked(LockNotAcquiredException busy) {
		return ProblemDetail.forStatusAndDetail(HttpStatus.LOCKED, "Somebody else is working on this");
	}

}
