package io.lockstarter.sample;

import io.lockstarter.LockNotAcquiredException;
import io.lockstarter.LockStoreException;

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
		return tryLater("1", "Too many customers want this product: try again");
	}

	@ExceptionHandler
	ResponseEntity<ProblemDetail> unavailable(LockStoreException ex) {
		return tryLater("5", "The shop is closed for the moment: try again later");
	}

	@ExceptionHandler
	ProblemDetail soldOut(SoldOutException ex) {
		return ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, String.valueOf(ex.getMessage()));
	}

	private static ResponseEntity<ProblemDetail> tryLater(String seconds, String detail) {
		return ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE)
			.header(HttpHeaders.RETRY_AFTER, seconds)
			.body(ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE, detail));
	}

}
