package io.lockstarter.sample;

/**
 * One item sold.
 *
 * @param productId the product
 * @param number the number of the order within its sale
 */
public record Order(long productId, long number) {
}
