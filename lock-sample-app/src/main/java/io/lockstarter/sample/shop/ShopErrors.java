// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.shop;

import java.time.Duration;

import io.lockstarter.LockLostException;
import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockStoreException;

import org.springframework.dao.EmptyResultDataAccessException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.RedisSystemException;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/**
 * What a customer is told when there is nothing to buy or no lock to be had.
 */
@RestControllerAdvice
class ShopErrors {

	@ExceptionHandler
	ResponseEntity<ProblemDetail> busy(LockNotAcquiredException ex) {
		return tryLater(HttpStatus.SERVICE_UNAVAILABLE, Duration.ofSeconds(1),
				"Too many customers want this product: try again");
	}

	@ExceptionHandler({ LockStoreException.class, RedisConnectionFailureException.class, RedisSystemException.class,
			QueryTimeoutException.class })
	ResponseEntity<ProblemDetail> unavailable() {
		return tryLater(HttpStatus.SERVICE_UNAVAILABLE, Duration.ofSeconds(5),
				"The shop is closed for the moment: try again later");
	}

	@ExceptionHandler
	ResponseEntity<ProblemDetail> tooMany(TooManyPurchasesException ex) {
		return tryLater(HttpStatus.TOO_MANY_REQUESTS, ex.waitTime(), String.valueOf(ex.getMessage()));
	}

	@ExceptionHandler({ SoldOutException.class, LockLostException.class })
	ProblemDetail refused(RuntimeException ex) {
		return ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, String.valueOf(ex.getMessage()));
	}

	@ExceptionHandler
	ProblemDetail unknown(EmptyResultDataAccessException ex) {
		return ProblemDetail.forStatusAndDetail(HttpStatus.NOT_FOUND, "There is no such product");
	}

	private static ResponseEntity<ProblemDetail> tryLater(HttpStatus status, Duration wait, String detail) {
		return ResponseEntity.status(status)
			.header(HttpHeaders.RETRY_AFTER, String.valueOf((wait.toMillis() + 999) / 1000))
			.body(ProblemDetail.forStatusAndDetail(status, detail));
	}

}
