package io.lockstarter.sample;

/**
 * How a sale is going.
 *
 * @param productId the product
 * @param stock how many items are left, going by the books
 * @param orders how many items were sold
 * @param oversold how many of those never existed
 */
record Sale(long productId, int stock, int orders, int oversold) {
}
