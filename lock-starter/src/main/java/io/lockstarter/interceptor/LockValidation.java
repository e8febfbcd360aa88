package io.lockstarter.interceptor;

/**
 * When mistakes in annotations are found, and what becomes of them. Whichever it is, a
 * method with a mistake never runs without its lock; and a mistake that no call could
 * report, such as an annotation on a private or final method, fails the start-up.
 */
public enum LockValidation {

	/**
	 * A mistake fails the creation of its bean, for most at start-up.
	 */
	FAIL,

	/**
	 * A mistake is logged when its bean is created, and fails each call of the method.
	 */
	WARN,

	/**
	 * A method is looked at in its first call; a mistake fails each call.
	 */
	OFF

}
