// SPDX-License-Identifier: Apache-2.0
package com.example.shop;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * A service that depends on the starter as the README says.
 */
@SpringBootApplication
public class Application {

	public static void main(String[] args) throws InterruptedException {
		try (ConfigurableApplicationContext context = SpringApplication.run(Application.class, args)) {
			StockService stock = context.getBean(StockService.class);
			if (stock.sold(42)) {
				throw new IllegalStateException("The key was not locked in the annotated method");
			}
			if (!stock.soldWithoutLock(42)) {
				throw new IllegalStateException("The key was locked after the annotated method");
			}
			System.out.println("The annotated method held its lock.");
		}
	}

}
