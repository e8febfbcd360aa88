// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample.shop;

/**
 * One item sold.
 *
 * @param number the number of the order
 * @param productId the product
 */
public record Order(long number, long productId) {
}
