// What a dispatch costs by itself.
void main() {}
