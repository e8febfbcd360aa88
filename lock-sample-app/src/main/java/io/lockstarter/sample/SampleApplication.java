package io.lockstarter.sample;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;

/**
 * The sample application.
 */
@SpringBootApplication
@ConfigurationPropertiesScan
public class SampleApplication {

	/**
	 * Start an instance of the shop.
	 * @param args the command line arguments
	 */
	public static void main(String[] args) {
		SpringApplication application = new SpringApplication(SampleApplication.class);
		application.addInitializers(new EmbeddedRedisInitializer());
		application.run(args);
	}

}
