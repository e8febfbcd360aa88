package io.lockstarter.sample;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * What a sale is like.
 *
 * @param stock how many items it starts with
 * @param thinkTime how long a purchase takes between reading the stock and writing it
 */
@ConfigurationProperties("sale")
record SaleProperties(int stock, Duration thinkTime) {
}
