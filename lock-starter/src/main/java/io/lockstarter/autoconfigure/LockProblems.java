// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.autoconfigure;

import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockStoreException;
import io.lockstarter.log.LimitedLog;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;

/**
 * Controller advice that maps locks which were not acquired to HTTP responses, for
 * annotated controllers of Spring MVC and WebFlux. Keys and holders are confidential:
 * they are logged only.
 */
@ControllerAdvice
@Order(0)
final class LockProblems {

	private static final Log logger = LogFactory.getLog(LockProblems.class);

	private final LimitedLog unavailable = LimitedLog.warnings(logger, "more web requests were answered with 503");

	@ExceptionHandler
	ResponseEntity<ProblemDetail> busy(LockNotAcquiredException failure) {
		logger.debug("Answered with 409", failure);
		return problem(HttpStatus.CONFLICT, "Somebody else is at it right now. Please try again.", 1);
	}

	@ExceptionHandler
	ResponseEntity<ProblemDetail> unavailable(LockStoreException failure) {
		this.unavailable.write(String.valueOf(failure.getMessage()),
				() -> "Answered with 503: " + failure.getMessage());
		return problem(HttpStatus.SERVICE_UNAVAILABLE,
				"A service that this one needs is unavailable. Please try later.", 5);
	}

	private static ResponseEntity<ProblemDetail> problem(HttpStatus status, String detail, int retryAfterSeconds) {
		return ResponseEntity.status(status)
			.header(HttpHeaders.RETRY_AFTER, String.valueOf(retryAfterSeconds))
			.body(ProblemDetail.forStatusAndDetail(status, detail));
	}

}
