package io.lockstarter.sample;

/**
 * Nothing is left of a product.
 */
class SoldOutException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	SoldOutException(long productId) {
		super("Product %d is sold out".formatted(productId));
	}

}
