package io.lockstarter.interceptor.key;

/**
 * What the keys of a method may refer to.
 *
 * @param subject the method
 * @param names the names of its arguments
 * @param beans the beans of the application
 */
record KeyScope(AnnotatedMethod subject, ArgumentNames names, KeyBeans beans) {

}
