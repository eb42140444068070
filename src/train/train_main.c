#include "train.h"

int main(void)
{
    return oc__train();
}
