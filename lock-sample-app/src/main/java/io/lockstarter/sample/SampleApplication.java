// SPDX-License-Identifier: Apache-2.0
package io.lockstarter.sample;

import io.lockstarter.sample.local.LocalServicesInitializer;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.scheduling.annotation.EnableScheduling;

/**
 * The sample application.
 */
@SpringBootApplication
@ConfigurationPropertiesScan
@EnableScheduling
public class SampleApplication {

	/**
	 * Start an instance of the shop.
	 * @param args the command line arguments
	 */
	public static void main(String[] args) {
		SpringApplication application = new SpringApplication(SampleApplication.class);
		application.addInitializers(new LocalServicesInitializer());
		application.run(args);
	}

}
